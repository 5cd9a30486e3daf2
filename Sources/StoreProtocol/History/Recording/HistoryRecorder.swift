/// A recorder of the changes of one save, which reduces them to one change for each row.
///
/// Keys are never given twice, so that a key from ``firstNewKey`` on is that of a new row, whatever
/// else the save does to it.
public struct HistoryRecorder {
  /// The changed properties of one row.
  private typealias Shape = Int

  /// Rows that were changed one after the other, and alike.
  private struct Run {
    let shape: Shape
    var keys: [Int64]
  }

  private let schema: StoreSchema
  private let content: HistoryOptions.Content
  /// The first key that the save gave to a new row, above all others where it gave none yet.
  public var firstNewKey: Int64
  private var inserted: [String: [Int64]] = [:]
  private var updated: [String: [Run]] = [:]
  private var deleted: [String: [Int64]] = [:]
  private var shapes: [[Int]] = []
  private var shapeNumbers: [[Int]: Shape] = [:]
  private var lastShape: (properties: [Int], number: Shape)?

  /// The rows as they were before the save, as far as ``wantsRow(of:deleting:)`` asks for them.
  public var before: [Int64: DefaultSnapshot] = [:]

  /// Creates the recorder of a save.
  ///
  /// - Parameters:
  ///   - schema: The schema of the store.
  ///   - content: What the history keeps of a change.
  ///   - firstNewKey: The first key of the rows that the save inserts.
  public init(
    _ schema: StoreSchema,
    _ content: HistoryOptions.Content,
    firstNewKey: Int64 = .max
  ) {
    self.schema = schema
    self.content = content
    self.firstNewKey = firstNewKey
  }

  /// A Boolean value that indicates whether the save changes nothing.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty
  }

  /// Returns a Boolean value that indicates whether ``before`` needs a row that is about to be updated
  /// or deleted.
  public func wantsRow(of entity: StoreEntity, deleting: Bool) -> Bool {
    content == .values || (deleting && entity.properties.contains(where: \.isPreserved))
  }

  // Each of these is asked for one key and for many: generic functions of another module would cost
  // a call a key.

  /// Notes a new row of an entity.
  public mutating func insert(_ key: Int64, of entity: String) {
    inserted[entity, default: []].append(key)
  }

  /// Notes new rows of an entity.
  public mutating func insert(_ keys: [Int64], of entity: String) {
    inserted[entity, default: []].append(contentsOf: keys)
  }

  /// Notes new rows of an entity whose keys follow each other.
  public mutating func insert(_ keys: Range<Int64>, of entity: String) {
    inserted[entity, default: []].append(contentsOf: keys)
  }

  /// Notes that properties of a row were changed.
  public mutating func update(_ key: Int64, of entity: StoreEntity, _ properties: [Int]) {
    guard key < firstNewKey else { return }
    update(of: entity, properties) { $0.append(key) }
  }

  /// Notes that the same properties of rows were changed.
  public mutating func update(_ keys: [Int64], of entity: StoreEntity, _ properties: [Int]) {
    let isKnown = keys.allSatisfy { $0 < firstNewKey }
    let known = isKnown ? keys : keys.filter { $0 < firstNewKey }
    if !known.isEmpty { update(of: entity, properties) { $0.append(contentsOf: known) } }
  }

  private mutating func update(
    of entity: StoreEntity,
    _ properties: [Int],
    _ append: (inout [Int64]) -> Void
  ) {
    let stored = properties.filter {
      entity.properties.indices.contains($0) && !entity.properties[$0].isEphemeral
    }
    if stored.isEmpty { return }
    let shape = number(of: stored)
    // Taken out, so that it is changed in place.
    var runs = updated.removeValue(forKey: entity.name) ?? []
    if runs.last?.shape != shape { runs.append(Run(shape: shape, keys: [])) }
    append(&runs[runs.count - 1].keys)
    updated[entity.name] = runs
  }

  /// Notes that a row was removed.
  public mutating func delete(_ key: Int64, of entity: String) {
    if key < firstNewKey { deleted[entity, default: []].append(key) }
  }

  /// Notes that rows were removed.
  public mutating func delete(_ keys: [Int64], of entity: String) {
    deleted[entity, default: []].append(contentsOf: keys.filter { $0 < firstNewKey })
  }

  /// Notes that rows were removed whose keys follow each other.
  public mutating func delete(_ keys: ClosedRange<Int64>, of entity: String) {
    guard keys.lowerBound < firstNewKey else { return }
    let last = min(keys.upperBound, firstNewKey - 1)
    deleted[entity, default: []].append(contentsOf: keys.lowerBound...last)
  }

  /// The keys and entities of the rows that have to be read after the save.
  public var rowsToRead: [(entity: String, keys: [Int64])] {
    guard content == .values else { return [] }
    let entities = Set(inserted.keys).union(updated.keys)
    return entities.sorted().map { entity in
      (entity, (inserted[entity] ?? []) + Set((updated[entity] ?? []).flatMap(\.keys)).sorted())
    }
  }

  private mutating func number(of properties: [Int]) -> Shape {
    if let lastShape, lastShape.properties == properties { return lastShape.number }
    let sorted = properties.count > 1 ? Array(Set(properties)).sorted() : properties
    let number = shapeNumbers[sorted] ?? shapes.count
    if number == shapes.count {
      shapes.append(sorted)
      shapeNumbers[sorted] = number
    }
    lastShape = (properties, number)
    return number
  }

  /// What the save came to; the rows as they are after it are needed where values are kept.
  public func groups(after: [Int64: DefaultSnapshot] = [:]) -> [HistoryGroup] {
    insertions(after) + updates(after) + deletions()
  }

  private func insertions(_ after: [Int64: DefaultSnapshot]) -> [HistoryGroup] {
    inserted.sorted { $0.key < $1.key }.flatMap { entity, keys in
      let names = content == .values ? kept(entity) : []
      return KeyRanges.parts(of: keys).map { ranges in
        HistoryGroup(
          .insert,
          of: entity,
          keys: ranges,
          properties: names,
          after: names.isEmpty ? nil : values(names, ranges, after)
        )
      }
    }
  }

  private func updates(_ after: [Int64: DefaultSnapshot]) -> [HistoryGroup] {
    var groups: [HistoryGroup] = []
    for (name, runs) in updated.sorted(by: { $0.key < $1.key }) {
      guard let entity = schema.entity(named: name) else { continue }
      let changes = changes(runs, without: Set(deleted[name] ?? []))
      for (properties, keys) in changes.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        let names = properties.map { entity.properties[$0].name }
        for ranges in KeyRanges.parts(of: keys) {
          groups.append(update(name, names, ranges, after))
        }
      }
    }
    return groups
  }

  /// The keys of rows by the properties that were changed.
  private func changes(_ runs: [Run], without gone: Set<Int64>) -> [[Int]: [Int64]] {
    // Mostly all rows are changed alike, and one after the other.
    if gone.isEmpty, runs.count == 1, zip(runs[0].keys, runs[0].keys.dropFirst()).allSatisfy(<) {
      return [shapes[runs[0].shape]: runs[0].keys]
    }
    var properties: [Int64: [Int]] = [:]
    for run in runs {
      let changed = shapes[run.shape]
      for key in run.keys where !gone.contains(key) {
        guard let earlier = properties.updateValue(changed, forKey: key), earlier != changed else {
          continue
        }
        properties[key] = Set(earlier).union(changed).sorted()
      }
    }
    return Dictionary(grouping: properties.keys) { properties[$0] ?? [] }
  }

  private func update(
    _ entity: String,
    _ names: [String],
    _ ranges: KeyRanges,
    _ after: [Int64: DefaultSnapshot]
  ) -> HistoryGroup {
    var group = HistoryGroup(.update, of: entity, keys: ranges, properties: names)
    if content == .values {
      let hidden = Set(names).subtracting(kept(entity))
      group.before = values(names, ranges, before, hiding: hidden)
      group.after = values(names, ranges, after, hiding: hidden)
    }
    return group
  }

  private func deletions() -> [HistoryGroup] {
    deleted.sorted { $0.key < $1.key }.flatMap { entity, keys in
      let names = content == .values ? kept(entity) : preserved(entity)
      return KeyRanges.parts(of: unique(keys)).map { ranges in
        HistoryGroup(
          .delete,
          of: entity,
          keys: ranges,
          properties: names,
          before: names.isEmpty ? nil : values(names, ranges, before)
        )
      }
    }
  }

  /// The keys, each once.
  private func unique(_ keys: [Int64]) -> [Int64] {
    zip(keys, keys.dropFirst()).allSatisfy(<) ? keys : Array(Set(keys))
  }

  private func values(
    _ names: [String],
    _ keys: KeyRanges,
    _ rows: [Int64: DefaultSnapshot],
    hiding hidden: Set<String> = []
  ) -> [[StoreValue]] {
    keys.ranges.joined().map { key in
      guard let row = rows[key] else { return [] }
      return names.map { hidden.contains($0) ? .unkept : row[$0] ?? .null }
    }
  }

  /// The properties whose values are kept: all but those that may lie in files.
  private func kept(_ entity: String) -> [String] {
    (schema.entity(named: entity)?.properties ?? []).filter {
      !$0.isEphemeral && (!$0.isExternal || $0.isPreserved)
    }.map(\.name)
  }

  private func preserved(_ entity: String) -> [String] {
    (schema.entity(named: entity)?.properties ?? []).filter(\.isPreserved).map(\.name)
  }
}

extension StoreProperty {
  /// Whether the value stays in the history when the row is deleted.
  package var isPreserved: Bool { !isEphemeral && options.contains("preserveValueOnDeletion") }
}

extension StoreValue {
  /// What stands in the place of a value that the history does not keep.
  package static var unkept: StoreValue { .composite([Member("$unkept", .bool(true))]) }
}
