import StoreProtocol

/// Rules about unique values, and about new records that become updates of stored rows.
enum UniquenessRules {
  static let all: [Rule] = [
    rule("UNIQUE-001", "A new record with the unique values of a row updates that row.", upsert),
    rule(
      "UNIQUE-003",
      "Unique values that are nil are not equal; UNIQUE-110 requires the same of NaN.",
      absence
    ),
    rule("UNIQUE-004", "Unique strings are equal by canonical equivalence.", equivalence),
    rule("UNIQUE-005", "Each value of a compound constraint can be repeated.", compound),
    rule("UNIQUE-006", "An update to the unique values of another row throws.", collision),
    rule("UNIQUE-009", "A batch may reuse the unique values that it frees.", freedValues),
    rule(
      "UNIQUE-018",
      "Unique strings within a batch are equal by canonical equivalence, even in a new store.",
      since: 2,
      equivalenceInBatch
    ),
    rule("UNIQUE-019", "Erasing frees unique values.", since: 2, erasing),
    rule("UNIQUE-013", "A row can be updated with its own unique values.", ownValues),
    rule(
      "UNIQUE-040",
      "If records must be new, a record with the unique values of a row throws.",
      mustBeNew
    ),
    rule("UNIQUE-020", "A reference can be part of a compound constraint.", references),
    rule("UNIQUE-024", "Unique references to deleted rows are not equal.", deletedReferences),
    Rule(
      "UNIQUE-025",
      "A merged record uses no key.",
      level: .should,
      needs: [.uniqueness],
      keysOfMerged
    ),
  ]

  private static func rule(
    _ id: String,
    _ sentence: String,
    since: Int = 1,
    _ check: @escaping Rule.Check
  ) -> Rule {
    Rule(id, sentence, needs: [.uniqueness], since: since, check)
  }

  private static func equivalenceInBatch(_ bench: StoreBench) throws {
    for texts in [["e\u{301}", "\u{E9}"], ["\u{E9}", "e\u{301}"]] {
      try bench.withNeighbour { bench in
        let records = try texts.map { try Sample.record("Person", ["email": .string($0)]) }
        let rows = try bench.insert(records)
        try expect("the rows of \(texts)", Set(rows).count, equals: 1)
        try expect("their number", bench.names(of: "Person").count, equals: 1)
      }
    }
  }

  private static func erasing(_ bench: StoreBench) throws {
    let values: [String: StoreValue] = ["email": .string("a@b"), "badge": .integer(1)]
    let first = try bench.insert("Person", values)
    try bench.store.erase()
    let second = try bench.insert("Person", values)
    try expect("the new row", second != first, "another one than the erased")
    let third = try bench.insert("Person", values)
    try expect("the row that it equals", third, equals: second)
    try expect("the rows", bench.names(of: "Person").count, equals: 1)
  }

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

  private static func equivalence(_ bench: StoreBench) throws {
    let stored = try bench.insert([person("a", email: "e\u{301}"), person("b", email: "K")])
    let equal = try bench.insert([person("c", email: "\u{E9}"), person("d", email: "\u{212A}")])
    try expect("the identifiers", equal, equals: stored)
    let different = try bench.insert([person("e", email: "e"), person("f", email: "k")])
    try expect("other strings", Set(stored).isDisjoint(with: different), "new rows")
    try expect("the rows", bench.names(of: "Person"), equals: ["c", "d", "e", "f"])
    try expect("an update", throws: .uniqueConflict) {
      try bench.update(different[0], ["email": .string("e\u{301}")])
    }
  }

  private static func compound(_ bench: StoreBench) throws {
    let rows = try [("x", 1), ("x", 2), ("y", 1)].map { name, year in
      try bench.insert("Group", ["name": .string(name), "year": .integer(year)])
    }
    try expect("different rows", Set(rows).count, equals: 3)
    let equal = try bench.insert("Group", ["name": .string("x"), "year": .integer(2)])
    try expect("an equal row", equal, equals: rows[1])
    try expect("an update of one of the values", throws: .uniqueConflict) {
      try bench.update(rows[2], ["name": .string("x")])
    }
    try bench.update(rows[2], ["name": .string("x"), "year": .integer(3)])
    try expect("the rows", bench.names(of: "Group"), equals: ["x", "x", "x"])
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

  private static func freedValues(_ bench: StoreBench) throws {
    let stored = try bench.insert([person("Ada", email: "a"), person("Bob", email: "b")])
    let new = try [person("Cid", email: "a"), person("Dan", email: "b")]
    let result = try bench.save(
      inserting: new,
      updating: [Sample.update(stored[1], ["email": .string("z")])],
      deleting: [stored[0]]
    )
    let identifiers = try new.map { try result.identifier(of: $0) }
    try expect("the new rows", Set(stored).isDisjoint(with: identifiers), "rows of their own")
    try expect("nothing merged", result.merged, equals: [])
    try expect("the rows", bench.names(of: "Person"), equals: ["Bob", "Cid", "Dan"])
    // A deleted row is none of two rows of which a new record has values (UNIQUE-012).
    let pair = try bench.insert([person("Eve", badge: 1), person("Fay", email: "f")])
    try bench.delete(pair[0])
    let merged = try bench.insert([person("Gil", email: "f", badge: 1)])
    try expect("the row with the email", merged, equals: [pair[1]])
  }

  private static func ownValues(_ bench: StoreBench) throws {
    let stored = try bench.insert([person("Ada", email: "a", badge: 1)])[0]
    try bench.update(stored, ["email": .string("a"), "age": .integer(3)])
    try bench.update(stored, ["badge": .integer(1)])
    try expect("the value", bench.value("age", of: stored), equals: .integer(3))
  }

  private static func references(_ bench: StoreBench) throws {
    let groups = try bench.insert("Group", named: ["x", "y"])
    let seats = try [(0, 1), (0, 2), (1, 1)].map { group, row in
      try bench.insert(
        "Seat",
        ["group": .identifier(groups[group]), "row": .integer(Int64(row))]
      )
    }
    try expect("different seats", Set(seats).count, equals: 3)
    let again = try bench.insert(
      "Seat",
      ["group": .identifier(groups[1]), "row": .integer(1), "note": .string("again")]
    )
    try expect("an equal seat", again, equals: seats[2])
    try expect("an update", throws: .uniqueConflict) {
      try bench.update(seats[2], ["group": .identifier(groups[0])])
    }
  }

  private static func deletedReferences(_ bench: StoreBench) throws {
    let groups = try bench.insert("Group", named: ["x", "y"])
    let seats = try groups.map {
      try bench.insert("Seat", ["group": .identifier($0), "row": .integer(1)])
    }
    try bench.save(deleting: groups)
    let seat = try bench.insert("Seat", ["group": .identifier(groups[0]), "row": .integer(1)])
    try expect("the seats", Set(seats + [seat]).count, equals: 3)
    try expect("the group", bench.value("group", of: seat), equals: .null)
    let values: [String: StoreValue] = ["group": .identifier(groups[0]), "row": .integer(2)]
    let twins = try bench.insert((1...2).map { _ in try Sample.record("Seat", values) })
    try expect("two new seats of a deleted group", Set(twins).count, equals: 2)
    try bench.save(updating: seats.map { try Sample.update($0, values) })
    for seat in seats { try expect("the group", bench.value("group", of: seat), equals: .null) }
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
}
