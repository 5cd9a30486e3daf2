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
