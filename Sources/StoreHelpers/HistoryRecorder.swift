import StoreProtocol

/// A recorder of the changes of one save, which reduces them to one change for each row.
///
/// Keys are never reused. A key from ``firstNewKey`` on therefore belongs to a new row, whatever
/// else the save does to it.
public struct HistoryRecorder {
  /// Consecutive updates of rows with the same properties and cause.
  private struct Run {
    /// The indices of the properties, in ascending order.
    let properties: [Int]
    let cause: StoreChange.Cause
    var keys: [Int64]
  }

  /// The change of a row, as property indices.
  private struct Change: Hashable, Comparable {
    var properties: [Int] = []
    var cause = StoreChange.Cause.program
    /// The properties that a delete rule changed, in addition to those that the program changed.
    var cleared: [Int] = []

    static func < (lhs: Self, rhs: Self) -> Bool {
      if lhs.properties != rhs.properties {
        return lhs.properties.lexicographicallyPrecedes(rhs.properties)
      }
      if lhs.cause != rhs.cause { return lhs.cause.rawValue < rhs.cause.rawValue }
      return lhs.cleared.lexicographicallyPrecedes(rhs.cleared)
    }
  }

  private let schema: StoreSchema
  private let content: HistoryOptions.Content
  /// The first key that the save assigned to a new row, or the maximum if it has assigned none yet.
  public var firstNewKey: Int64
  private var inserted: [String: [Int64]] = [:]
  private var updated: [String: [Run]] = [:]
  private var deleted: [String: [Int64]] = [:]
  /// The rows that a delete rule deleted.
  private var cascaded: Set<Int64> = []
  /// The properties that a delete rule changed before the batch was created.
  private var cleared: [Int64: [Int]] = [:]

  /// The rows before the save, as far as ``wantsRow(of:deleting:)`` requests them.
  public var before: [Int64: DefaultSnapshot] = [:]

  /// Creates the recorder of a save.
  ///
  /// - Parameters:
  ///   - schema: The schema of the store.
  ///   - content: The detail that the history keeps of a change.
  ///   - consequences: The changes that delete rules added to the batch.
  ///   - firstNewKey: The first key of the rows that the save inserts.
  public init(
    _ schema: StoreSchema,
    _ content: HistoryOptions.Content,
    _ consequences: DeleteConsequences,
    firstNewKey: Int64 = .max
  ) {
    self.schema = schema
    self.content = content
    self.firstNewKey = firstNewKey
    cascaded = Set(consequences.deleted.compactMap(\.integerKey))
    for (identifier, properties) in consequences.cleared {
      identifier.integerKey.map { cleared[$0] = properties }
    }
  }

  /// Whether the save changes nothing.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty
  }

  /// Returns whether ``before`` needs a row that is about to be updated or deleted.
  public func wantsRow(of entity: StoreEntity, deleting: Bool) -> Bool {
    content == .values || (deleting && entity.properties.contains(where: \.isPreserved))
  }

  // Each method exists for one key and for many: generic functions of another module would cost one
  // call for each key.

  /// Records a new row of an entity.
  public mutating func insert(_ key: Int64, of entity: String) {
    inserted[entity, default: []].append(key)
  }

  /// Records new rows of an entity.
  public mutating func insert(_ keys: [Int64], of entity: String) {
    if keys.isEmpty { return }
    inserted[entity, default: []].append(contentsOf: keys)
  }

  /// Records new rows of an entity with consecutive keys.
  public mutating func insert(_ keys: Range<Int64>, of entity: String) {
    if keys.isEmpty { return }
    inserted[entity, default: []].append(contentsOf: keys)
  }

  /// Records changed properties of a row.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - entity: The entity of the row.
  ///   - properties: The indices of the properties.
  ///   - cause: The part of the save that changed them. It is `.deleteRule` for a reference that
  ///     the store clears because its row is deleted. It is `.merge` for a row that a new record
  ///     updates, and for a row that loses its counterpart because of that.
  public mutating func update(
    _ key: Int64,
    of entity: StoreEntity,
    _ properties: [Int],
    cause: StoreChange.Cause = .program
  ) {
    guard key < firstNewKey else { return }
    update(of: entity, properties, cause) { $0.append(key) }
  }

  /// Records that the program changed the same properties of several rows.
  public mutating func update(_ keys: [Int64], of entity: StoreEntity, _ properties: [Int]) {
    let areStored = keys.allSatisfy { $0 < firstNewKey }
    let stored = areStored ? keys : keys.filter { $0 < firstNewKey }
    if !stored.isEmpty {
      update(of: entity, properties, .program) { $0.append(contentsOf: stored) }
    }
  }

  private mutating func update(
    of entity: StoreEntity,
    _ properties: [Int],
    _ cause: StoreChange.Cause,
    _ append: (inout [Int64]) -> Void
  ) {
    var known = properties.filter { entity.properties.indices.contains($0) }
    if known.isEmpty { return }
    if !zip(known, known.dropFirst()).allSatisfy(<) { known = Set(known).sorted() }
    // Removed from the dictionary, so that it is modified in place.
    var runs = updated.removeValue(forKey: entity.name) ?? []
    if runs.last?.properties != known || runs.last?.cause != cause {
      runs.append(Run(properties: known, cause: cause, keys: []))
    }
    append(&runs[runs.count - 1].keys)
    updated[entity.name] = runs
  }

  /// Records the deletion of a row.
  public mutating func delete(_ key: Int64, of entity: String) {
    if key < firstNewKey { deleted[entity, default: []].append(key) }
  }

  /// Records the deletion of rows, of which there may be none.
  public mutating func delete(_ keys: [Int64], of entity: String) {
    let stored = keys.filter { $0 < firstNewKey }
    // A save that deletes only rows that do not exist changes nothing.
    if !stored.isEmpty { deleted[entity, default: []].append(contentsOf: stored) }
  }

  /// Records the deletion of rows with consecutive keys.
  public mutating func delete(_ keys: ClosedRange<Int64>, of entity: String) {
    guard keys.lowerBound < firstNewKey else { return }
    let last = min(keys.upperBound, firstNewKey - 1)
    deleted[entity, default: []].append(contentsOf: keys.lowerBound...last)
  }

  /// The keys and entities of the rows to read after the save.
  public var rowsToRead: [(entity: String, keys: [Int64])] {
    guard content == .values else { return [] }
    let entities = Set(inserted.keys).union(updated.keys)
    return entities.sorted().map { entity in
      (entity, (inserted[entity] ?? []) + Set((updated[entity] ?? []).flatMap(\.keys)).sorted())
    }
  }

  /// Returns the changes of the save.
  ///
  /// The rows after the save are required if the history keeps values.
  public func groups(after: [Int64: DefaultSnapshot] = [:]) -> [HistoryGroup] {
    var groups = inserted.isEmpty ? [] : insertions(after)
    if !updated.isEmpty { groups += updates(after) }
    if !deleted.isEmpty { groups += deletions() }
    return groups
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
      for (change, keys) in changes.sorted(by: { $0.key < $1.key }) {
        for ranges in KeyRanges.parts(of: keys) {
          groups.append(update(entity, change, ranges, after))
        }
      }
    }
    return groups
  }

  /// Returns the keys of rows, grouped by change.
  private func changes(_ runs: [Run], without gone: Set<Int64>) -> [Change: [Int64]] {
    // Mostly, the program changed the same properties of all rows, in ascending order of key.
    if gone.isEmpty, cleared.isEmpty, runs.count == 1, runs[0].cause == .program,
      zip(runs[0].keys, runs[0].keys.dropFirst()).allSatisfy(<)
    {
      return [Change(properties: runs[0].properties): runs[0].keys]
    }
    var rows: [Int64: RowChange] = [:]
    for run in runs {
      for key in run.keys where !gone.contains(key) {
        rows[key, default: RowChange()].add(run.properties, by: run.cause)
      }
    }
    return Dictionary(grouping: rows.keys) { key in
      rows[key]?.change(cleared: cleared[key] ?? []) ?? Change()
    }
  }

  /// The properties of a row that each part of the save changed, sorted.
  private struct RowChange {
    private var program: [Int] = []
    private var rule: [Int] = []
    private var all: [Int] = []
    private var isMerged = false

    mutating func add(_ properties: [Int], by cause: StoreChange.Cause) {
      Self.unite(&all, properties)
      switch cause {
      case .program: Self.unite(&program, properties)
      case .deleteRule: Self.unite(&rule, properties)
      case .merge: isMerged = true
      }
    }

    private static func unite(_ list: inout [Int], _ properties: [Int]) {
      if list.isEmpty {
        list = properties
      } else if list != properties {
        list = Set(list).union(properties).sorted()
      }
    }

    /// Returns the change.
    ///
    /// If the program set some properties because a delete rule cleared them, the delete rule is
    /// their cause.
    func change(cleared: [Int]) -> Change {
      if isMerged { return Change(properties: all, cause: .merge) }
      if rule.isEmpty, cleared.isEmpty { return Change(properties: all) }
      let own = Set(program).subtracting(cleared)
      let byRules = all.filter { !own.contains($0) }
      return own.isEmpty
        ? Change(properties: all, cause: .deleteRule) : Change(properties: all, cleared: byRules)
    }
  }

  private func update(
    _ entity: StoreEntity,
    _ change: Change,
    _ ranges: KeyRanges,
    _ after: [Int64: DefaultSnapshot]
  ) -> HistoryGroup {
    let names = change.properties.map { entity.properties[$0].name }
    var group = HistoryGroup(
      .update,
      of: entity.name,
      keys: ranges,
      properties: names,
      cause: change.cause,
      clearedProperties: change.cleared.map { entity.properties[$0].name }
    )
    if content == .values {
      let hidden = Set(names).subtracting(kept(entity.name))
      group.before = values(names, ranges, before, hiding: hidden)
      group.after = values(names, ranges, after, hiding: hidden)
    }
    return group
  }

  private func deletions() -> [HistoryGroup] {
    deleted.sorted { $0.key < $1.key }.flatMap { entity, keys in
      let names = kept(entity, ofDeleted: true)
      return byCause(keys).flatMap { cause, keys in
        KeyRanges.parts(of: keys).map { ranges in
          HistoryGroup(
            .delete,
            of: entity,
            keys: ranges,
            properties: names,
            cause: cause,
            before: names.isEmpty ? nil : values(names, ranges, before)
          )
        }
      }
    }
  }

  /// Returns the keys of deleted rows, grouped by deletion by the program and by a delete rule.
  private func byCause(_ keys: [Int64]) -> [(StoreChange.Cause, [Int64])] {
    if cascaded.isEmpty { return [(.program, keys)] }
    let own = keys.filter { !cascaded.contains($0) }
    let others = keys.filter(cascaded.contains)
    return [(.program, own), (.deleteRule, others)].filter { !$0.1.isEmpty }
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

  /// Returns the properties whose values are kept: none, or all except those that may be stored in
  /// files, and the preserved ones of deleted rows.
  private func kept(_ entity: String, ofDeleted: Bool = false) -> [String] {
    guard content == .values || ofDeleted else { return [] }
    let properties = schema.entity(named: entity)?.properties ?? []
    return properties.filter { $0.isPreserved || content == .values && !$0.isExternal }
      .map(\.name)
  }
}

extension StoreProperty {
  /// Whether the history keeps the value when the row is deleted.
  package var isPreserved: Bool { options.contains("preserveValueOnDeletion") }
}
