import JSONFileStore
import OpenSwiftData

/// What two stores hold differently, told object by object.
struct StoreDifference {
  /// How many objects only the second store has.
  private(set) var added = 0
  /// How many objects only the first store has.
  private(set) var removed = 0
  /// How many objects have other values.
  private(set) var changed = 0

  private let first: OpenedStore
  private let second: OpenedStore
  private let matching: ObjectMatching

  private static let batchSize = 500

  init(_ first: OpenedStore, _ second: OpenedStore, by rule: ObjectMatching.Rule) throws {
    (self.first, self.second) = (first, second)
    matching = try ObjectMatching(first, second, by: rule)
  }

  var isEmpty: Bool { added + removed + changed == 0 }

  /// Compares everything, and tells one line after the other.
  mutating func run(_ tell: (String) -> Void) throws {
    for family in matching.families {
      for identifier in family.removed { tell("- \(identifier)") }
      removed += family.removed.count
      for start in stride(from: 0, to: family.pairs.count, by: Self.batchSize) {
        let end = min(start + Self.batchSize, family.pairs.count)
        try compare(Array(family.pairs[start..<end]), family.root, tell)
      }
      for identifier in family.added { tell("+ \(identifier)") }
      added += family.added.count
    }
  }

  private mutating func compare(
    _ pairs: [(first: PersistentIdentifier, second: PersistentIdentifier)],
    _ root: String,
    _ tell: (String) -> Void
  ) throws {
    let before = try Self.objects(pairs.map(\.first), root, first)
    let after = try Self.objects(pairs.map(\.second), root, second)
    for pair in pairs {
      guard let one = before[pair.first.key], let other = after[pair.second.key] else { continue }
      let lines = differences(one, other)
      if lines.isEmpty { continue }
      changed += 1
      let isSame = "\(pair.first)" == "\(pair.second)"
      tell("~ \(pair.first)" + (isSame ? "" : ", \(pair.second) in the other"))
      for line in lines { tell("    \(line)") }
    }
  }

  private static func objects(
    _ identifiers: [PersistentIdentifier],
    _ root: String,
    _ store: OpenedStore
  ) throws -> [PersistentIdentifier.Key: StoredObject] {
    let objects = try store.objects(.rows(identifiers, of: root))
    return Dictionary(
      objects.map { ($0.identifier.key, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The values that differ, of the properties that both have.
  private func differences(_ one: StoredObject, _ other: StoredObject) -> [String] {
    var lines: [String] = []
    if one.entity.name != other.entity.name {
      lines.append("entity: \(one.entity.name) → \(other.entity.name)")
    }
    for (index, property) in one.entity.properties.enumerated() where !property.isEphemeral {
      guard let place = other.entity.indexByName[property.name] else { continue }
      let (value, new) = (one.values[index], other.values[place])
      if agree(value, new, property) { continue }
      let (old, now) = (Self.text(value, index, one), Self.text(new, place, other))
      lines.append("\(property.name): \(old) → \(now)")
    }
    return lines
  }

  /// Whether two values are the same, references by the objects that they lead to.
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
