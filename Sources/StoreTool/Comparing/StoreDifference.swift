import JSONFileStore
import OpenSwiftData

/// The difference between two stores, object by object.
struct StoreDifference {
  /// The number of differing objects of an entity, including entities that inherit from it.
  struct Count: Encodable {
    let entity: String
    /// The number of objects that only the second store has.
    var added = 0
    /// The number of objects that only the first store has.
    var removed = 0
    /// The number of objects with different values.
    var changed = 0

    var total: Int { added + removed + changed }
  }

  /// The numbers of each topmost entity.
  private(set) var counts: [Count] = []

  private let first: OpenedStore
  private let second: OpenedStore
  private let matching: ObjectMatching

  private static let batchSize = 500

  init(_ first: OpenedStore, _ second: OpenedStore, by rule: ObjectMatching.Rule) throws {
    (self.first, self.second) = (first, second)
    matching = try ObjectMatching(first, second, by: rule)
  }

  /// The number of differing objects, of all that were compared so far.
  var total: Int { counts.reduce(0) { $0 + $1.total } }

  /// Compares everything, and reports each differing object.
  mutating func run(_ report: (ObjectDifference) -> Void) throws {
    for family in matching.families {
      counts.append(Count(entity: family.root))
      let last = counts.count - 1
      counts[last].removed = family.removed.count
      try Self.report(.removed, family.removed, family.root, first, report)
      for start in stride(from: 0, to: family.pairs.count, by: Self.batchSize) {
        let end = min(start + Self.batchSize, family.pairs.count)
        try compare(Array(family.pairs[start..<end]), family.root, report)
      }
      counts[last].added = family.added.count
      try Self.report(.added, family.added, family.root, second, report)
    }
  }

  /// Reports objects that only one store has.
  private static func report(
    _ change: ObjectDifference.Change,
    _ identifiers: [PersistentIdentifier],
    _ root: String,
    _ store: OpenedStore,
    _ report: (ObjectDifference) -> Void
  ) throws {
    for start in stride(from: 0, to: identifiers.count, by: batchSize) {
      let batch = Array(identifiers[start..<min(start + batchSize, identifiers.count)])
      var labels = Labels()
      try labels.read(batch, of: root, in: store)
      for identifier in batch {
        report(
          ObjectDifference(change: change, object: "\(identifier)", label: labels[identifier])
        )
      }
    }
  }

  private mutating func compare(
    _ pairs: [(first: PersistentIdentifier, second: PersistentIdentifier)],
    _ root: String,
    _ report: (ObjectDifference) -> Void
  ) throws {
    let before = try Self.objects(pairs.map(\.first), root, first)
    let after = try Self.objects(pairs.map(\.second), root, second)
    for pair in pairs {
      guard let one = before[pair.first.key], let other = after[pair.second.key] else { continue }
      let values = differences(one, other)
      if values.isEmpty { continue }
      let isSame = "\(pair.first)" == "\(pair.second)"
      report(
        ObjectDifference(
          change: .changed,
          object: "\(pair.first)",
          label: Label.text(one),
          other: isSame ? nil : "\(pair.second)",
          values: values
        )
      )
      counts[counts.count - 1].changed += 1
    }
  }

  private static func objects(
    _ identifiers: [PersistentIdentifier],
    _ root: String,
    _ store: OpenedStore
  ) throws -> [PersistentIdentifier.Key: StoredObject] {
    let objects = try store.objects(.rows(identifiers, of: root))
    return Dictionary(firstOf: objects.map { ($0.identifier.key, $0) })
  }

  /// Returns the values that differ, of the properties that both have.
  private func differences(
    _ one: StoredObject,
    _ other: StoredObject
  ) -> [ObjectDifference.Value] {
    var values: [ObjectDifference.Value] = []
    if one.entity.name != other.entity.name {
      values.append(.init(property: "entity", a: one.entity.name, b: other.entity.name))
    }
    for (index, property) in one.entity.properties.enumerated() {
      guard let otherIndex = other.entity.indexByName[property.name] else { continue }
      let (value, new) = (one.values[index], other.values[otherIndex])
      if agree(value, new, property) { continue }
      let (old, now) = (Self.text(value, index, one), Self.text(new, otherIndex, other))
      values.append(.init(property: property.name, a: old, b: now))
    }
    return values
  }

  /// Returns whether two values are equal; references are compared by the matching objects.
  private func agree(_ one: StoreValue, _ other: StoreValue, _ property: StoreProperty) -> Bool {
    guard let destination = property.relationship?.destination else { return one == other }
    let root = first.store.schema.storeSchema.entity(named: destination)?.root ?? destination
    switch (one, other) {
    case (.identifier(let a), .identifier(let b)): return matching.key(of: a, in: root) == b.key
    case (.identifiers(let a), .identifiers(let b)):
      return a.map { matching.key(of: $0, in: root) } == b.map { Optional($0.key) }
    default: return one == other
    }
  }

  private static func text(_ value: StoreValue, _ index: Int, _ object: StoredObject) -> String {
    switch value {
    case .null: return "nil"
    case .identifier(let identifier): return "\(identifier)"
    case .identifiers(let list): return "[\(list.map(\.description).joined(separator: ", "))]"
    default:
      return RowText.text(of: value, as: object.entity.properties[index], in: object.entity)
    }
  }
}
