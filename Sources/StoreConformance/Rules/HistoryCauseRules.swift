import StoreProtocol

/// Rules about the causes of changes: delete rules and uniqueness, distinguished from the program.
enum HistoryCauseRules {
  static let all: [Rule] = [
    HistoryRules.rule(
      "HIST-021",
      "A change by a delete rule is distinguished from the program's changes.",
      deleteRules
    ),
    Rule(
      "HIST-022",
      "A change by a unique constraint is distinguished from the program's changes.",
      needs: [.history, .uniqueness],
      interface: .transactions,
      merges
    ),
    HistoryRules.durable(
      "HIST-023",
      "Causes of changes persist when the store is reopened.",
      reopening
    ),
  ]

  /// Returns the changes of the last transaction, such as `~Dog/2 name,owner program owner`.
  ///
  /// Each has its kind and row, the properties, the cause, and the properties that a delete rule
  /// cleared.
  private static func story(_ bench: StoreBench) throws -> Set<String> {
    let changes = try HistoryRules.history(bench).last?.changes ?? []
    return Set(
      changes.map { change in
        let lists = [change.properties, change.clearedProperties]
        let names = lists.map { $0.sorted().joined(separator: ",") }
        return "\(change.kind.rawValue) \(change.identifier) \(names[0]) \(change.cause.rawValue)"
          + " \(names[1])"
      }
    )
  }

  /// Saves the deletion of a person, with a cascade to a dog and references of others that become
  /// nil.
  ///
  /// - Returns: The changes that the history must contain.
  private static func deletion(_ bench: StoreBench) throws -> Set<String> {
    let people = try bench.insert("Person", named: ["Ada", "Bob"])
    let owner = ["owner": StoreValue.identifier(people[0])]
    let dogs = try bench.insert("Dog", named: ["a", "b", "c", "d", "e"])
    for dog in dogs { try bench.update(dog, owner) }
    try bench.update(
      people[1],
      ["mentor": .identifier(people[0]), "favourites": .identifiers([dogs[0], dogs[1]])]
    )
    let entity = try Sample.entity("Dog")
    guard let position = entity.indexByName["owner"] else { return [] }
    var changes = StoreChanges(
      updated: [
        try Sample.update(dogs[1], ["owner": .null]),
        try Sample.update(dogs[2], ["name": .string("x"), "owner": .null]),
        try Sample.update(dogs[3], ["owner": .identifier(people[1])]),
      ],
      deleted: [people[0], dogs[0]]
    )
    changes.consequences.deleted = [dogs[0]]
    for dog in dogs[1...2] { changes.consequences.cleared[dog] = [position] }
    _ = try bench.store.apply(changes)
    return [
      "delete \(people[0])  program ",
      "delete \(dogs[0])  deleteRule ",
      "update \(dogs[1]) owner deleteRule owner",
      "update \(dogs[2]) name,owner program owner",
      "update \(dogs[3]) owner program ",
      "update \(dogs[4]) owner deleteRule owner",
      "update \(people[1]) favourites,mentor deleteRule favourites,mentor",
    ]
  }

  private static func deleteRules(_ bench: StoreBench) throws {
    let expected = try deletion(bench)
    try expect("the changes with their causes", story(bench), equals: expected)
    // The next save must not contain these consequences.
    let dogs = try bench.store.identifiers(StoreQuery(entity: "Dog"))
    try bench.save(deleting: dogs)
    let causes = try HistoryRules.history(bench).last?.changes.filter { $0.kind == .delete }
    try expect("the causes", Set((causes ?? []).map(\.cause)), equals: [.program])
  }

  private static func merges(_ bench: StoreBench) throws {
    let rows = try bench.insert(Sample.holder(["badge": .integer(1)]))
    let bob = try bench.insert("Person", ["badge": .integer(2)])
    let next = try Sample.holder(["badge": .integer(1)])
    let result = try bench.save(
      inserting: next,
      updating: [
        Sample.update(bob, ["age": .integer(4)]),
        // The merge clears the reference that the batch sets.
        Sample.update(rows[1], ["name": .string("old"), "holder": .identifier(rows[0])]),
      ]
    )
    let issued = try result.identifier(of: next[1])
    let causes = try HistoryRules.history(bench).last?.changes.map {
      "\($0.kind.rawValue) \($0.identifier) \($0.cause.rawValue)"
    }
    let expected: Set<String> = [
      "update \(rows[0]) merge", "update \(rows[1]) merge", "update \(bob) program",
      "insert \(issued) program",
    ]
    try expect("the changes with their causes", Set(causes ?? []), equals: expected)
  }

  private static func reopening(_ bench: StoreBench) throws {
    let expected = try deletion(bench)
    try bench.reopen()
    try expect("the changes with their causes", story(bench), equals: expected)
  }
}
