import StoreProtocol

/// Rules about relationships by which a save must not take related rows away from other rows.
enum ProtectionRules {
  static let all: [Rule] = [
    rule(
      "VERSION-015",
      "A save that deletes a row is a conflict if another row refers to it by a protected relationship.",
      deletion
    ),
    rule(
      "VERSION-016",
      "Rows that the save itself deletes, or relates to others, lose no protected relationship.",
      ownChanges
    ),
    rule(
      "VERSION-017",
      "A save that relates a row by a protected relationship to one that does not exist is a conflict.",
      missing
    ),
    Rule(
      "VERSION-091",
      "A store without versions throws if a batch protects relationships.",
      needs: [.lacking(.versions)],
      since: 2,
      refusal
    ),
  ]

  private static let rule = Rule.making(needs: [.versions], since: 2)

  private static let owner = StoreReference("owner", of: "Animal")
  private static let members = StoreReference("members", of: "Group")
  private static let mentor = StoreReference("mentor", of: "Person")

  private static func apply(
    _ bench: StoreBench,
    inserting inserted: [DefaultSnapshot] = [],
    updating updated: [StoreUpdate] = [],
    deleting deleted: [PersistentIdentifier] = [],
    protecting references: StoreReference...
  ) throws {
    var changes = StoreChanges(inserted: inserted, updated: updated, deleted: deleted)
    changes.protectedReferences = Set(references)
    _ = try bench.store.apply(changes)
  }

  private static func expectConflict(
    _ subject: String,
    of rows: [PersistentIdentifier],
    _ property: String,
    by body: () throws -> Void
  ) throws {
    let error = try expect(subject, throws: .conflict, by: body)
    try expect("the property of the error of \(subject)", error.property, equals: property)
    let found = error.identifiers
    let isComplete = !found.isEmpty && Set(found).isSubset(of: rows)
    try expect("the identifiers of the error of \(subject)", isComplete, "some of \(rows)")
  }

  private static func deletion(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob"])
    let dog = try bench.insert("Puppy", ["owner": .identifier(people[0])])
    let group = try bench.insert("Group", ["members": .identifiers([people[1]])])
    try expectConflict("a deletion of an owner", of: [dog], "owner") {
      try apply(
        bench,
        inserting: [Sample.record("Person", ["name": .string("new")])],
        updating: [Sample.update(people[1], ["name": .string("changed")])],
        deleting: [people[0]],
        protecting: mentor,
        owner
      )
    }
    try expectConflict("a deletion of a member", of: [group], "members") {
      try apply(bench, deleting: people, protecting: members)
    }
    try expect("the people", bench.names(of: "Person"), equals: ["Ada", "Bob"])
    try expect("the owner", bench.value("owner", of: dog), equals: .identifier(people[0]))
    try expect("the members", bench.members("members", of: group), equals: [people[1]])
    try apply(bench, deleting: [people[0]], protecting: mentor, members)
    try expect("the people", bench.names(of: "Person"), equals: ["Bob"])
    try expect("the owner", bench.value("owner", of: dog), equals: .null)
  }

  private static func ownChanges(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob", "Cid"])
    let dogs = try bench.insert("Dog", named: ["a", "b", "c"])
    for dog in dogs { try bench.update(dog, ["owner": .identifier(people[0])]) }
    let group = try bench.insert("Group", ["members": .identifiers([people[0], people[2]])])
    try apply(
      bench,
      updating: [
        Sample.update(dogs[0], ["owner": .null]),
        Sample.update(dogs[1], ["owner": .identifier(people[1])]),
        Sample.update(group, ["members": .identifiers([people[2]])]),
      ],
      deleting: [people[0], dogs[2]],
      protecting: owner,
      members
    )
    try expect("the first owner", bench.value("owner", of: dogs[0]), equals: .null)
    try expect("the other", bench.value("owner", of: dogs[1]), equals: .identifier(people[1]))
    try expect("the members", bench.members("members", of: group), equals: [people[2]])
  }

  private static func missing(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob"])
    let dog = try bench.insert("Dog", ["name": .string("a"), "owner": .identifier(people[1])])
    try bench.delete(people[0])
    let gone = StoreValue.identifier(people[0])
    try expectConflict("a new row", of: [people[0]], "owner") {
      try apply(
        bench,
        inserting: [
          Sample.record("Person", ["name": .string("new")]),
          Sample.record("Puppy", ["owner": gone]),
        ],
        protecting: owner
      )
    }
    try expectConflict("a changed row", of: [people[0]], "owner") {
      try apply(bench, updating: [Sample.update(dog, ["owner": gone])], protecting: owner)
    }
    try expect("the people", bench.names(of: "Person"), equals: ["Bob"])
    try expect("the animals", bench.names(of: "Animal"), equals: ["a"])
    try expect("the owner", bench.value("owner", of: dog), equals: .identifier(people[1]))
    try apply(
      bench,
      updating: [Sample.update(dog, ["owner": gone])],
      protecting: mentor,
      StoreReference("passport", of: "Person")
    )
    try expect("the owner", bench.value("owner", of: dog), equals: .null)
  }

  private static func refusal(_ bench: StoreBench) throws {
    let person = try bench.insert("Person", ["name": .string("Ada")])
    try expect("a save that protects a relationship", throws: .unsupportedFeature) {
      try apply(bench, deleting: [person], protecting: owner)
    }
    try expect("the people", bench.names(of: "Person"), equals: ["Ada"])
  }
}
