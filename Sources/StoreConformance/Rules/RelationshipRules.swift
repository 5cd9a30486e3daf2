import StoreProtocol

/// Rules about references and related objects.
enum RelationshipRules {
  static let all: [Rule] = [
    Rule("REL-001", "A reference is read back, and can be changed and removed.", toOne),
    Rule(
      "REL-002",
      "If related rows store a reference to their owner, it determines the relationship.",
      storedReferences
    ),
    Rule(
      "REL-003",
      "Related rows of REL-002 have the order that the owner stores; others follow by key.",
      storedOrder
    ),
    Rule(
      "REL-004",
      "A related row that changes its owner changes the lists of both owners.",
      moving
    ),
    Rule(
      "REL-005",
      "To-many relationships without an inverse keep their elements and order.",
      plainLists
    ),
    Rule("REL-006", "Many-to-many relationships keep both lists in order.", manyToMany),
    Rule("REL-012", "Long lists keep their order.", longLists),
  ]

  private static func toOne(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob"])
    let dog = try bench.insert("Dog", ["owner": .identifier(people[0])])
    try expect("the owner", bench.value("owner", of: dog), equals: .identifier(people[0]))
    try bench.update(dog, ["owner": .identifier(people[1])])
    try expect("the new owner", bench.value("owner", of: dog), equals: .identifier(people[1]))
    try bench.update(dog, ["owner": .null])
    try expect("no owner", bench.value("owner", of: dog), equals: .null)
  }

  private static func storedReferences(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob"])
    let pets = try bench.insert("Dog", named: ["c", "a", "b"])
    try expect("no related rows", bench.members("pets", of: people[0]), equals: [])
    for pet in [pets[2], pets[0]] { try bench.update(pet, ["owner": .identifier(people[0])]) }
    try bench.expectMembers("pets", of: people[0], [pets[0], pets[2]])
    try bench.expectMembers("pets", of: people[1], [])
  }

  private static func storedOrder(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob"])
    let pets = try bench.insert("Dog", named: ["a", "b", "c", "d", "e"])
    for pet in pets.prefix(4) { try bench.update(pet, ["owner": .identifier(people[0])]) }
    try bench.update(people[0], ["pets": .identifiers([pets[3], pets[1]])])
    try bench.expectMembers("pets", of: people[0], [pets[3], pets[1], pets[0], pets[2]])
    try bench.update(people[0], ["pets": .identifiers([pets[4], pets[2], pets[3]])])
    try bench.expectMembers("pets", of: people[0], [pets[2], pets[3], pets[0], pets[1]])
    try bench.update(people[0], ["pets": .null])
    try expect("no list", bench.members("pets", of: people[0]), equals: Array(pets.prefix(4)))
  }

  private static func moving(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob"])
    let pets = try bench.insert("Cat", named: ["a", "b"])
    for pet in pets { try bench.update(pet, ["owner": .identifier(people[0])]) }
    try bench.update(people[0], ["pets": .identifiers(pets.reversed())])
    try bench.update(pets[1], ["owner": .identifier(people[1])])
    try expect("the old owner's", bench.members("pets", of: people[0]), equals: [pets[0]])
    try expect("the new owner's", bench.members("pets", of: people[1]), equals: [pets[1]])
    try bench.update(pets[0], ["owner": .null])
    try expect("the first owner's", bench.members("pets", of: people[0]), equals: [])
  }

  private static func plainLists(_ bench: StoreBench) throws {
    let pets = try bench.insert("Animal", named: ["a", "b", "c"])
    let person = try bench.insert("Person", ["favourites": .identifiers([pets[2], pets[0]])])
    try expect("a list", bench.members("favourites", of: person), equals: [pets[2], pets[0]])
    let other = try bench.insert("Person", ["favourites": .identifiers([pets[0]])])
    for list in [[pets[0], pets[2]], [pets[1]], [], [pets[2], pets[1], pets[0]]] {
      try bench.update(person, ["favourites": .identifiers(list)])
      try expect("a changed list", bench.members("favourites", of: person), equals: list)
    }
    try expect("another's list", bench.members("favourites", of: other), equals: [pets[0]])
    try bench.update(person, ["name": .string("Ada")])
    let kept = [pets[2], pets[1], pets[0]]
    try expect("an untouched list", bench.members("favourites", of: person), equals: kept)
  }

  private static func manyToMany(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["a", "b", "c"])
    let groups = try bench.insert("Group", named: ["x", "y"])
    try bench.save(updating: [
      Sample.update(groups[0], ["members": .identifiers([people[2], people[0]])]),
      Sample.update(groups[1], ["members": .identifiers([people[0]])]),
      Sample.update(people[0], ["groups": .identifiers([groups[1], groups[0]])]),
      Sample.update(people[2], ["groups": .identifiers([groups[0]])]),
    ])
    try expect("x", bench.members("members", of: groups[0]), equals: [people[2], people[0]])
    try expect("y", bench.members("members", of: groups[1]), equals: [people[0]])
    try expect("a", bench.members("groups", of: people[0]), equals: [groups[1], groups[0]])
    try expect("b", bench.members("groups", of: people[1]), equals: [])
    try bench.save(updating: [
      Sample.update(groups[0], ["members": .identifiers([people[2]])]),
      Sample.update(people[0], ["groups": .identifiers([groups[1]])]),
    ])
    try expect("x, later", bench.members("members", of: groups[0]), equals: [people[2]])
    try expect("a, later", bench.members("groups", of: people[0]), equals: [groups[1]])
    try expect("c, later", bench.members("groups", of: people[2]), equals: [groups[0]])
  }

  private static func longLists(_ bench: StoreBench) throws {
    let owner = try bench.insert("Person", ["name": .string("Ada")])
    let records = try (0..<1_500).map { _ in
      try Sample.record("Animal", ["owner": .identifier(owner)])
    }
    let pets = try bench.insert(records)
    let mixed = pets.enumerated().sorted { ($0.offset * 613) % 1_500 < ($1.offset * 613) % 1_500 }
      .map(\.element)
    try bench.update(owner, ["pets": .identifiers(mixed), "favourites": .identifiers(mixed)])
    try expect("ordered related rows", bench.members("pets", of: owner) == mixed, "the given order")
    try expect("a list", bench.members("favourites", of: owner) == mixed, "the given order")
  }
}
