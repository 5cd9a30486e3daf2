import OpenSwiftData
import RowChanges

/// The matching of objects between two stores.
struct ObjectMatching {
  /// The rule by which objects are matched.
  enum Rule: String, CaseIterable {
    case identity, unique, order
  }

  /// The entities at the top of both stores' hierarchies, and their objects.
  struct Family {
    let root: String
    var pairs: [(first: PersistentIdentifier, second: PersistentIdentifier)] = []
    var removed: [PersistentIdentifier] = []
    var added: [PersistentIdentifier] = []
  }

  let families: [Family]
  /// The key in the second store of each key in the first, by root.
  private let keys: [String: [PersistentIdentifier.Key: PersistentIdentifier.Key]]

  init(_ first: OpenedStore, _ second: OpenedStore, by rule: Rule) throws {
    let roots = Set((first.entities + second.entities).map(\.root)).sorted()
    families = try roots.map { root in
      let constraint = try rule == .unique ? Self.constraint(of: root, first, second) : nil
      return try Self.family(
        root,
        Self.marks(of: root, constraint, rule, in: first),
        Self.marks(of: root, constraint, rule, in: second)
      )
    }
    keys = Dictionary(
      firstOf: families.map { family in
        (
          family.root,
          Dictionary(firstOf: family.pairs.map { ($0.first.key, $0.second.key) })
        )
      }
    )
  }

  /// Returns the key in the second store of an object in the first.
  func key(of identifier: PersistentIdentifier, in root: String) -> PersistentIdentifier.Key? {
    keys[root]?[identifier.key]
  }

  /// The value by which an object is matched: its key, its unique values, or its position among the
  /// keys.
  private enum Mark: Hashable {
    case ordinal(Int)
    case key(PersistentIdentifier.Key)
    case values(UniqueValues)
  }

  private static func family(
    _ root: String,
    _ first: [(Mark, PersistentIdentifier)],
    _ second: [(Mark, PersistentIdentifier)]
  ) throws -> Family {
    var family = Family(root: root)
    var open = Dictionary(firstOf: second)
    for (mark, identifier) in first {
      if let other = open.removeValue(forKey: mark) {
        family.pairs.append((identifier, other))
      } else {
        family.removed.append(identifier)
      }
    }
    family.added = open.values.sorted()
    family.pairs.sort { $0.first < $1.first }
    family.removed.sort()
    return family
  }

  private static func marks(
    of root: String,
    _ constraint: StoreConstraint?,
    _ rule: Rule,
    in store: OpenedStore
  ) throws -> [(Mark, PersistentIdentifier)] {
    guard store.store.schema.storeSchema.entity(named: root) != nil else { return [] }
    let query = StoreQuery(entity: root)
    guard let constraint else {
      return try store.store.identifiers(query).enumerated().map { ordinal, identifier in
        (rule == .order ? .ordinal(ordinal) : .key(identifier.key), identifier)
      }
    }
    var found: [(Mark, PersistentIdentifier)] = []
    let wanted = WantedProperties(names: Set(constraint.properties), readsFiles: true)
    try store.forEachObject(query, wanted) { object in
      // An object without a value has no counterpart by value.
      let values = object.uniqueValues(of: constraint)
      found.append((values.map(Mark.values) ?? .key(object.identifier.key), object.identifier))
    }
    return found
  }

  /// Returns a constraint on attributes that both stores have, or `nil` if there is none.
  private static func constraint(
    of root: String,
    _ first: OpenedStore,
    _ second: OpenedStore
  ) throws -> StoreConstraint? {
    let (schema, otherSchema) = (first.store.schema.storeSchema, second.store.schema.storeSchema)
    guard let one = schema.entity(named: root), let other = otherSchema.entity(named: root)
    else { return nil }
    let others = otherSchema.constraints(of: other)
    return schema.constraints(of: one).first { constraint in
      others.contains(constraint)
        && constraint.properties.allSatisfy { one.property(named: $0)?.attributeType != nil }
    }
  }
}
