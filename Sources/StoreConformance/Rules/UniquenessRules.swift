import StoreProtocol

/// Rules about unique values, and about new records that become updates of stored rows.
enum UniquenessRules {
  static let all: [Rule] = [
    rule("UNIQUE-001", "A new record with the unique values of a row updates that row.", upsert),
    rule(
      "UNIQUE-002",
      "Of two new records with equal unique values, the later one wins.",
      laterWins
    ),
    rule(
      "UNIQUE-003",
      "Unique values that are nil are not equal; UNIQUE-110 requires the same of NaN.",
      absence
    ),
    rule("UNIQUE-006", "An update to the unique values of another row throws.", collision),
    Rule(
      "UNIQUE-025",
      "A merged record uses no key.",
      level: .should,
      needs: [.uniqueness],
      keysOfMerged
    ),
    rule(
      "UNIQUE-040",
      "If records must be new, a record with the unique values of a row throws.",
      mustBeNew
    ),
  ]

  private static let rule = Rule.making(needs: [.uniqueness])

  private static func person(
    _ name: String,
    email: String? = nil,
    badge: Int64? = nil
  ) throws -> DefaultSnapshot {
    try Sample.record(
      "Person",
      [
        "name": .string(name), "email": email.map { .string($0) } ?? .null,
        "badge": badge.map { .integer($0) } ?? .null,
      ]
    )
  }

  private static func upsert(_ bench: StoreBench) throws {
    let stored = try bench.insert([person("Ada", email: "a", badge: 1), person("Bob", email: "b")])
    let new = try person("Eve", email: "a", badge: 7)
    let other = try person("Cid", email: "c")
    let result = try bench.save(inserting: [new, other])
    try expect("the identifier", result.identifier(of: new), equals: stored[0])
    try expect("the merged records", result.merged, equals: [new.persistentIdentifier])
    try expect("the rows", bench.names(of: "Person"), equals: ["Eve", "Bob", "Cid"])
    try expect("another value", bench.value("badge", of: stored[0]), equals: .integer(7))
    let again = try bench.insert([person("Ann", badge: 1), person("Fay", badge: 7)])
    try expect("a released value", again[0] != stored[0], "a new row")
    try expect("a reused value", again[1], equals: stored[0])
    try expect("a value set to nil", bench.value("email", of: stored[0]), equals: .null)
  }

  private static func mustBeNew(_ bench: StoreBench) throws {
    let row = try bench.insert("Person", ["name": .string("a"), "badge": .integer(1)])
    let before = try bench.store.fetch(StoreQuery(entity: "Person"))
    let other = try Sample.record("Person", ["name": .string("b"), "badge": .integer(2)])
    let equal = try Sample.record("Person", ["name": .string("c"), "badge": .integer(1)])
    func insert(_ records: DefaultSnapshot...) throws -> StoreChangesResult {
      var changes = StoreChanges(inserted: records)
      changes.requiresNew = true
      return try bench.store.apply(changes)
    }
    let error = try expect("a record with the unique values of a row", throws: .uniqueConflict) {
      _ = try insert(other, equal)
    }
    try expect("the objects of the error", error.identifiers.contains(row), "the stored row too")
    try expect("the rows", bench.store.fetch(StoreQuery(entity: "Person")), equals: before)
    let twin = try Sample.record("Person", ["name": .string("d"), "badge": .integer(2)])
    try expect("two records with the same unique values", throws: .uniqueConflict) {
      _ = try insert(other, twin)
    }
    try expect("a new record", insert(other).merged.isEmpty, "a row of its own")
  }

  private static func absence(_ bench: StoreBench) throws {
    _ = try bench.insert([person("a"), person("b")])
    try bench.insert("Group", ["name": .string("x"), "year": .null])
    try bench.insert("Group", ["name": .string("x"), "year": .null])
    try expect("the people", bench.names(of: "Person"), equals: ["a", "b"])
    try expect("the groups", bench.names(of: "Group"), equals: ["x", "x"])
  }

  private static func keysOfMerged(_ bench: StoreBench) throws {
    let stored = try bench.insert("Person", ["email": .string("a")])
    let records = try ["a", "b", "b", "c"].map {
      try Sample.record("Person", ["email": .string($0)])
    }
    let rows = try bench.insert(records)
    let keys = rows.compactMap(\.integerKey)
    let others = try bench.insert("Passport", named: ["a", "b", "c"]).compactMap(\.integerKey)
    // Keys may have gaps, if these are regular.
    guard keys.count == 4, others.count == 3, others[1] - others[0] == others[2] - others[1]
    else { return }
    try expect("the rows of merged records", [rows[0], rows[2]], equals: [stored, rows[1]])
    let gap = others[1] - others[0]
    try expect("the keys", [keys[1], keys[3]], equals: [keys[1], keys[1] + gap])
  }

  private static func collision(_ bench: StoreBench) throws {
    let stored = try bench.insert([
      person("Ada", email: "a"), person("Bob", email: "b", badge: 2),
    ])
    let error = try expect("the update", throws: .uniqueConflict) {
      try bench.update(stored[1], ["name": .string("Eve"), "email": .string("a")])
    }
    try expect("the entity that the error names", error.entity, equals: "Person")
    // Updates are checked before a new record replaces their values.
    try expect("the update of a row that a new record updates", throws: .uniqueConflict) {
      try bench.save(
        inserting: [person("Cid", email: "c", badge: 2)],
        updating: [Sample.update(stored[1], ["email": .string("a")])]
      )
    }
    try expect("the names", bench.names(of: "Person"), equals: ["Ada", "Bob"])
    try expect("the value", bench.value("email", of: stored[1]), equals: .string("b"))
  }

  private static func laterWins(_ bench: StoreBench) throws {
    let first = try person("first", email: "x", badge: 1)
    let later = try person("later", email: "x", badge: 2)
    let dog = try Sample.record("Dog", ["owner": .identifier(later.persistentIdentifier)])
    let result = try bench.save(inserting: [first, later, dog])
    let identifier = try result.identifier(of: first)
    try expect("both identifiers", result.identifier(of: later), equals: identifier)
    try expect("the rows", bench.names(of: "Person"), equals: ["later"])
    try expect("the value", bench.value("badge", of: identifier), equals: .integer(2))
    try expect("the related rows", bench.members("pets", of: identifier).count, equals: 1)
  }
}
