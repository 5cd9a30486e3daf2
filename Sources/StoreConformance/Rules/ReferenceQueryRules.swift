import StoreProtocol

/// Rules about filters that follow relationships.
enum ReferenceQueryRules {
  static let all: [Rule] = [
    filter(
      "QUERY-040",
      "A reference can be compared with an object and with nil.",
      references
    ),
    filter(
      "QUERY-041",
      "A path can follow a reference; it is nil if the reference is nil.",
      paths
    ),
    filter(
      "QUERY-042",
      "Related rows can be counted; without related rows the count is zero.",
      counts
    ),
    filter("QUERY-043", "A condition can apply to some or to all related rows.", some),
    filter(
      "QUERY-044",
      "A condition can test whether a to-many relationship contains an object.",
      containment
    ),
    filter("QUERY-045", "A condition can test the entity of a row.", kinds),
    filter(
      "QUERY-046",
      "A condition can test whether a reference is one of many objects.",
      manyReferences
    ),
    filter(
      "QUERY-047",
      "Saved changes of related rows affect results immediately.",
      freshness
    ),
  ]

  private static let filter = Rule.making(needs: [.nativeFiltering])

  /// Inserts Ada with Rex and Tom, Bob with Pip, and Cid with none; Ada is Bob's mentor.
  private static func world(_ bench: StoreBench) throws -> [PersistentIdentifier] {
    let people = try bench.insert("Person", named: ["Ada", "Bob", "Cid"])
    try bench.update(people[0], ["age": .integer(40)])
    try bench.update(people[1], ["age": .integer(20), "mentor": .identifier(people[0])])
    let ada = StoreValue.identifier(people[0])
    try bench.insert("Dog", ["name": .string("Rex"), "weight": .double(30), "owner": ada])
    try bench.insert("Cat", ["name": .string("Tom"), "weight": .double(4), "owner": ada])
    try bench.insert(
      "Puppy",
      ["name": .string("Pip"), "weight": .double(5), "owner": .identifier(people[1])]
    )
    try bench.insert("Animal", ["name": .string("Stray")])
    return people
  }

  private static func expectNames(
    _ bench: StoreBench,
    _ cases: (entity: String, filter: QueryExpression, names: [String])...
  ) throws {
    for (entity, filter, expected) in cases {
      let query = StoreQuery(entity, where: filter)
      try expect("the rows where \(filter)", bench.names(query), equals: expected)
      try expect("their count", bench.store.count(query), equals: expected.count)
    }
  }

  private static func references(_ bench: StoreBench) throws {
    let people = try world(bench)
    try expectNames(
      bench,
      ("Animal", .row("owner", .equal, .identifier(people[0])), ["Rex", "Tom"]),
      ("Animal", .row("owner", .notEqual, .identifier(people[0])), ["Pip", "Stray"]),
      ("Animal", .row("owner", .equal, .null), ["Stray"]),
      ("Animal", .row("owner", .notEqual, .null), ["Rex", "Tom", "Pip"])
    )
  }

  private static func paths(_ bench: StoreBench) throws {
    _ = try world(bench)
    let ownerName = QueryExpression.property(.row("owner"), "name")
    try expectNames(
      bench,
      ("Animal", .compare(.equal, ownerName, .string("Bob")), ["Pip"]),
      ("Animal", .compare(.notEqual, ownerName, .string("Bob")), ["Rex", "Tom", "Stray"])
    )
    let mentorAge = QueryExpression.property(.property(.row("owner"), "mentor"), "age")
    try expectNames(bench, ("Animal", .compare(.greater, mentorAge, .integer(30)), ["Pip"]))
  }

  private static func counts(_ bench: StoreBench) throws {
    _ = try world(bench)
    let pets = QueryExpression.aggregate(.count, .row("pets"))
    for (count, expected) in [(0, ["Cid"]), (1, ["Bob"]), (2, ["Ada"]), (3, [])] {
      let constant = QueryExpression.integer(Int64(count))
      try expectNames(bench, ("Person", .compare(.equal, pets, constant), expected))
    }
    try expectNames(bench, ("Person", .aggregate(.isEmpty, .row("pets")), ["Cid"]))
  }

  private static func some(_ bench: StoreBench) throws {
    _ = try world(bench)
    let isHeavy = QueryExpression.compare(
      .greater,
      .coalesce(.property(.element(1), "weight"), .constant(.double(0))),
      .constant(.double(4.5))
    )
    try expectNames(
      bench,
      ("Person", .quantified(.some, .row("pets"), variable: 1, isHeavy), ["Ada", "Bob"]),
      ("Person", .quantified(.every, .row("pets"), variable: 1, isHeavy), ["Bob", "Cid"])
    )
    let heavy = QueryExpression.aggregate(.count, .filter(.row("pets"), variable: 1, isHeavy))
    try expectNames(bench, ("Person", .compare(.equal, heavy, .integer(1)), ["Ada", "Bob"]))
  }

  private static func containment(_ bench: StoreBench) throws {
    let people = try world(bench)
    let group = try bench.insert(
      "Group",
      ["name": .string("choir"), "members": .identifiers([people[2], people[0]])]
    )
    for person in [people[0], people[2]] {
      try bench.update(person, ["groups": .identifiers([group])])
    }
    for (person, expected) in [(people[0], ["choir"]), (people[1], [])] {
      try expectNames(
        bench,
        ("Group", .contains(.row("members"), .constant(.identifier(person))), expected)
      )
    }
    try expectNames(
      bench,
      ("Person", .contains(.row("groups"), .constant(.identifier(group))), ["Ada", "Cid"])
    )
  }

  private static func kinds(_ bench: StoreBench) throws {
    _ = try world(bench)
    try expectNames(
      bench,
      ("Animal", .isKind(.element(0), entity: "Dog"), ["Rex", "Pip"]),
      ("Animal", .not(.isKind(.element(0), entity: "Dog")), ["Tom", "Stray"])
    )
    let lives = QueryExpression.property(.cast(.element(0), entity: "Cat"), "lives")
    try expectNames(bench, ("Animal", .compare(.equal, lives, .integer(0)), ["Tom"]))
  }

  private static func manyReferences(_ bench: StoreBench) throws {
    let people = try world(bench)
    let list = QueryExpression.constant(.identifiers([people[1], people[2]]))
    try expectNames(bench, ("Animal", .contains(list, .row("owner")), ["Pip"]))
    let all = QueryExpression.constant(.identifiers(people))
    try expectNames(bench, ("Animal", .contains(all, .row("owner")), ["Rex", "Tom", "Pip"]))
  }

  private static func freshness(_ bench: StoreBench) throws {
    let people = try world(bench)
    let pets = QueryExpression.aggregate(.count, .row("pets"))
    let isRich = QueryExpression.compare(.greater, pets, .integer(1))
    try expectNames(bench, ("Person", isRich, ["Ada"]))
    for pet in try bench.store.identifiers(StoreQuery(entity: "Animal")) {
      try bench.update(pet, ["owner": .identifier(people[2])])
    }
    try expectNames(bench, ("Person", isRich, ["Cid"]))
    try bench.delete(people[2])
    try expectNames(
      bench,
      ("Person", isRich, []),
      ("Animal", .row("owner", .equal, .null), ["Rex", "Tom", "Pip", "Stray"])
    )
  }
}
