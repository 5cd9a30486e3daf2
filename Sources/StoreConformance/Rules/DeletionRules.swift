import StoreProtocol

/// Rules about deletions, after which no reference to a deleted row remains.
enum DeletionRules {
  static let all: [Rule] = [
    Rule("DELETE-001", "No query returns a deleted row.", rowsAreGone),
    Rule("DELETE-002", "References to a deleted row become nil.", referencesAreCleared),
    Rule(
      "DELETE-003",
      "To-many relationships omit a deleted row and keep their order.",
      listsShrink
    ),
  ]

  private static func rowsAreGone(_ bench: StoreBench) throws {
    let rows = try ["Person", "Puppy", "Cat"].map {
      try bench.insert($0, ["name": .string("gone")])
    }
    try bench.insert("Dog", ["name": .string("left")])
    try bench.save(deleting: rows)
    for row in rows { try expect("the row \(row)", bench.record(row), equals: nil) }
    try expect("the animals", bench.names(of: "Animal"), equals: ["left"])
    try expect("their count", bench.store.count(StoreQuery(entity: "Animal")), equals: 1)
    try expect("the people", bench.names(of: "Person"), equals: [])
  }

  private static func referencesAreCleared(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob"])
    let dog = try bench.insert("Dog", ["owner": .identifier(people[0])])
    let group = try bench.insert("Group", ["name": .string("x")])
    let seat = try bench.insert("Seat", ["row": .integer(1), "group": .identifier(group)])
    try bench.update(people[1], ["mentor": .identifier(people[0])])
    try bench.delete(people[0], group)
    try expect("the owner", bench.value("owner", of: dog), equals: .null)
    try expect("the mentor", bench.value("mentor", of: people[1]), equals: .null)
    try expect("the group", bench.value("group", of: seat), equals: .null)
  }

  private static func listsShrink(_ bench: StoreBench) throws {
    let owner = try bench.insert("Person", ["name": .string("Ada")])
    let pets = try bench.insert("Dog", named: ["a", "b", "c", "d"])
    for pet in pets { try bench.update(pet, ["owner": .identifier(owner)]) }
    let list = [pets[3], pets[1], pets[0], pets[2]]
    let group = try bench.insert("Group", ["members": .identifiers([owner])])
    try bench.update(
      owner,
      [
        "pets": .identifiers(list), "favourites": .identifiers(list),
        "groups": .identifiers([group]),
      ]
    )
    try bench.delete(pets[1], group)
    let left = [pets[3], pets[0], pets[2]]
    try expect("related rows by reference", bench.members("pets", of: owner), equals: left)
    try expect("a list", bench.members("favourites", of: owner), equals: left)
    try expect("the stored list", bench.value("favourites", of: owner), equals: .identifiers(left))
    try expect("the groups", bench.members("groups", of: owner), equals: [])
    guard case .identifiers(let order) = try bench.value("pets", of: owner) else { return }
    try expect("the stored order", !order.contains(pets[1]), "nothing of \(pets[1])")
  }
}
