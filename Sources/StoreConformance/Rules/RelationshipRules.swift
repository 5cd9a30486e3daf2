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
    Rule("REL-007", "A row can be related to itself.", selfReference),
    Rule("REL-008", "A one-to-one relationship is read back on both sides.", pairs),
    Rule("REL-009", "Related rows of many owners are returned in one call.", manyOwners),
    Rule("REL-010", "Related rows have their own entities.", entities),
    Rule("REL-011", "Owners are found by identifiers with a superentity.", inheritance),
    Rule("REL-012", "Long lists keep their order.", longLists),
    .durable(
      "REL-013",
      "Related rows and their order persist when the store is reopened.",
      listsAreKept
    ),
    .second(
      "REL-014",
      "Related rows are returned under the owner's identifier as requested.",
      ownersAsAsked
    ),
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

  private static func selfReference(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["a", "b", "c"])
    try bench.save(updating: [
      Sample.update(people[0], ["mentor": .identifier(people[0])]),
      Sample.update(people[1], ["mentor": .identifier(people[2])]),
      Sample.update(people[2], ["mentor": .identifier(people[0])]),
    ])
    try expect("a", bench.members("students", of: people[0]), equals: [people[0], people[2]])
    try expect("b", bench.members("students", of: people[1]), equals: [])
    try expect("c", bench.members("students", of: people[2]), equals: [people[1]])
  }

  private static func pairs(_ bench: StoreBench) throws {
    let rows = try bench.insert(Sample.holder(["name": .string("Ada")]))
    try expect("the passport", bench.value("passport", of: rows[0]), equals: .identifier(rows[1]))
    try expect("the holder", bench.value("holder", of: rows[1]), equals: .identifier(rows[0]))
    try bench.save(updating: [
      Sample.update(rows[0], ["passport": .null]), Sample.update(rows[1], ["holder": .null]),
    ])
    try expect("no passport", bench.value("passport", of: rows[0]), equals: .null)
    try expect("no holder", bench.value("holder", of: rows[1]), equals: .null)
  }

  private static func manyOwners(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: (0..<20).map { "p\($0)" })
    var expected: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    for (index, person) in people.enumerated() where index < 19 {
      let records = try (0..<index % 3).map { _ in
        try Sample.record("Dog", ["owner": .identifier(person)])
      }
      expected[person] = try bench.insert(records)
    }
    try bench.delete(people[19])
    for owners in [people, Array(people.prefix(1)), []] {
      let found = try bench.store.members(of: "pets", in: "Person", owners: owners)
      let wanted = expected.filter { owners.contains($0.key) }
      try expect("the related rows of \(owners.count) owners", found, equals: wanted)
    }
  }

  private static func entities(_ bench: StoreBench) throws {
    let owner = try bench.insert("Person", ["name": .string("Ada")])
    let pets = try ["Puppy", "Animal", "Cat"].map {
      try bench.insert($0, ["owner": .identifier(owner)])
    }
    try bench.update(owner, ["favourites": .identifiers(pets.reversed())])
    try expect("related rows by reference", bench.members("pets", of: owner), equals: pets)
    try bench.expectMembers("favourites", of: owner, pets.reversed())
  }

  private static func inheritance(_ bench: StoreBench) throws {
    let owner = try bench.insert("Person", ["name": .string("Ada")])
    let puppy = try bench.insert("Puppy", ["owner": .identifier(owner)])
    let records = try bench.store.fetch(StoreQuery(entity: "Animal"))
    try expect("the owner", records.first?["owner"], equals: .identifier(owner))
    try bench.update(puppy, ["owner": .null, "litter": .integer(4)])
    try expect("the related rows", bench.members("pets", of: owner), equals: [])
    try expect("the own value", bench.value("litter", of: puppy), equals: .integer(4))
  }

  private static func ownersAsAsked(_ bench: StoreBench) throws {
    let leaf = StoreEntity(
      name: "Leaf",
      properties: [SampleEntities.toOne("trunk", "Trunk", inverse: "leaves")]
    )
    let properties = [
      SampleEntities.toMany("leaves", "Leaf", inverse: "trunk", inverseIsToOne: true),
      SampleEntities.toMany("list", "Leaf"),
    ]
    let trunk = StoreEntity(name: "Trunk", properties: properties)
    let bough = StoreEntity(
      name: "Bough",
      superentity: "Trunk",
      root: "Trunk",
      properties: properties
    )
    try bench.open(Schema(storeSchema: StoreSchema(entities: [trunk, bough, leaf])))
    let member = Sample.record(of: leaf, [.null])
    let owner = Sample.record(of: bough, [.null, .identifiers([member.persistentIdentifier])])
    let rows = try bench.insert([owner, member])
    try bench.save(
      updating: [StoreUpdate(identifier: rows[1], changes: [.init(0, .identifier(rows[0]))])]
    )
    let above = PersistentIdentifier(rows[0].key, of: "Trunk", in: rows[0].storeIdentifier)
    for property in ["leaves", "list"] {
      for owner in [rows[0], above] {
        let found = try bench.store.members(of: property, in: "Trunk", owners: [owner])
        try expect("the related rows of \(owner)", found, equals: [owner: [rows[1]]])
      }
    }
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

  private static func listsAreKept(_ bench: StoreBench) throws {
    let owner = try bench.insert("Person", ["name": .string("Ada")])
    let pets = try bench.insert("Dog", named: ["a", "b", "c"])
    for pet in pets { try bench.update(pet, ["owner": .identifier(owner)]) }
    let list = [pets[1], pets[2], pets[0]]
    try bench.update(owner, ["pets": .identifiers(list), "favourites": .identifiers(list)])
    try bench.reopen()
    try expect("ordered related rows", bench.members("pets", of: owner), equals: list)
    try expect("a list", bench.members("favourites", of: owner), equals: list)
  }
}
