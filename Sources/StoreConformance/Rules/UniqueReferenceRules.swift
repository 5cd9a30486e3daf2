import StoreProtocol

/// Rules about unique references, and about references to records that became stored rows.
enum UniqueReferenceRules {
  static let all: [Rule] = [
    rule("UNIQUE-020", "A reference can be part of a compound constraint.", references),
    rule(
      "UNIQUE-021",
      "A reference to a record that was merged into a row refers to that row.",
      merged
    ),
    rule("UNIQUE-022", "Saving a batch of related records again adds no rows.") {
      try expectSameRows($0, backwards: false)
    },
    rule(
      "UNIQUE-023",
      "UNIQUE-022 also applies if records precede the records that they refer to."
    ) {
      try expectSameRows($0, backwards: true)
    },
    rule("UNIQUE-024", "Unique references to deleted rows are not equal.", deletedReferences),
    Rule(
      "UNIQUE-025",
      "A merged record uses no key.",
      level: .should,
      needs: [.uniqueness],
      keysOfMerged
    ),
    rule(
      "UNIQUE-026",
      "A merged row has the related rows of both, without duplicates.",
      membersOfBoth
    ),
    rule(
      "UNIQUE-027",
      "The former one-to-one counterpart of a merged row loses its reference.",
      formerCounterparts
    ),
  ]

  private static let rule = Rule.making(needs: [.uniqueness])

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

  private static func merged(_ bench: StoreBench) throws {
    let stored = try bench.insert("Person", ["email": .string("a")])
    let new = try Sample.record("Person", ["email": .string("a"), "name": .string("Ada")])
    let reference = new.persistentIdentifier
    let dog = try Sample.record("Dog", ["owner": .identifier(reference)])
    let group = try Sample.record("Group", ["members": .identifiers([reference])])
    let rows = try bench.insert([dog, new, group])
    try expect("the owner", bench.value("owner", of: rows[0]), equals: .identifier(stored))
    try expect("the related rows", bench.members("members", of: rows[2]), equals: [stored])
    try expect("the pets", bench.members("pets", of: stored), equals: [rows[0]])
  }

  private static func batch(backwards: Bool) throws -> [DefaultSnapshot] {
    let group = try Sample.record("Group", ["name": .string("x"), "year": .integer(1)])
    let reference = StoreValue.identifier(group.persistentIdentifier)
    let seats = try (1...3).map {
      try Sample.record("Seat", ["group": reference, "row": .integer($0)])
    }
    return backwards ? seats + [group] : [group] + seats
  }

  private static func expectSameRows(_ bench: StoreBench, backwards: Bool) throws {
    let first = try bench.insert(batch(backwards: backwards))
    let second = try bench.insert(batch(backwards: backwards))
    try expect("the rows of the second save", second, equals: first)
    try expect("the seats", bench.store.count(StoreQuery(entity: "Seat")), equals: 3)
    try expect("the groups", bench.store.count(StoreQuery(entity: "Group")), equals: 1)
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

  private static func membersOfBoth(_ bench: StoreBench) throws {
    let groups = try bench.insert("Group", named: ["x", "y"])
    let stored = try bench.insert(
      "Person",
      [
        "email": .string("a"), "groups": .identifiers(groups),
        "favourites": .identifiers([]),
      ]
    )
    for group in groups { try bench.update(group, ["members": .identifiers([stored])]) }
    let new = try Sample.record("Person", ["email": .string("a")])
    let group = try Sample.record(
      "Group",
      ["name": .string("z"), "members": .identifiers([new.persistentIdentifier])]
    )
    var joining = new
    let groupsOfNew = [groups[1], group.persistentIdentifier]
    joining["groups"] = .identifiers(groupsOfNew)
    let members: StoreValue = .identifiers([stored, new.persistentIdentifier])
    let result = try bench.save(
      inserting: [joining, group],
      updating: [Sample.update(groups[1], ["members": members])]
    )
    let added = try result.identifier(of: group)
    try expect("the groups", bench.members("groups", of: stored), equals: groups + [added])
    for group in groups + [added] {
      try expect("the related rows", bench.members("members", of: group), equals: [stored])
    }
  }

  private static func formerCounterparts(_ bench: StoreBench) throws {
    let rows = try bench.insert(Sample.holder(["email": .string("a")]))
    let added = try bench.insert(Sample.holder(["email": .string("a")]))
    try expect("the row", added[0], equals: rows[0])
    try expect("its passport", bench.value("passport", of: rows[0]), equals: .identifier(added[1]))
    try bench.expectValue("holder", of: added[1], .identifier(rows[0]))
    try expect("the old one's holder", bench.value("holder", of: rows[1]), equals: .null)
    // Another record of the batch refers to the row.
    let dog = try Sample.record("Dog", ["owner": .identifier(rows[0])])
    _ = try bench.insert([Sample.record("Person", ["email": .string("a")]), dog])
    try expect("the holder at last", bench.value("holder", of: added[1]), equals: .null)
    try leavesOthers(bench)
  }

  /// Tests that a former one-to-one counterpart keeps the new one that the same batch assigns to
  /// it.
  private static func leavesOthers(_ bench: StoreBench) throws {
    let person = try bench.insert("Person", ["email": .string("b")])
    let other = try bench.insert("Person", ["email": .string("c")])
    let passport = try bench.insert("Passport", ["holder": .identifier(person)])
    try bench.update(person, ["passport": .identifier(passport)])
    try bench.save(
      inserting: [Sample.record("Person", ["email": .string("b")])],
      updating: [
        Sample.update(passport, ["holder": .identifier(other)]),
        Sample.update(other, ["passport": .identifier(passport)]),
      ]
    )
    try expect("the passport given up", bench.value("passport", of: person), equals: .null)
    try expect("the new holder", bench.value("holder", of: passport), equals: .identifier(other))
  }
}
