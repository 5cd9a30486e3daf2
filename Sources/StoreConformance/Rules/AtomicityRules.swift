import StoreProtocol

/// Rules about atomic batches.
enum AtomicityRules {
  static let all: [Rule] = [
    Rule("ATOM-001", "An empty batch changes nothing.", emptyBatch),
    Rule("ATOM-002", "An update of a row that does not exist throws.", missingRow),
    Rule(
      "ATOM-003",
      "A batch that throws stores nothing, including its earlier changes.",
      refusedBatch
    ),
    Rule("ATOM-004", "A store remains usable after a batch that throws.", worksOn),
    Rule("ATOM-005", "A batch deletes first, then updates, then inserts.", orderOfEffect),
    Rule("ATOM-008", "A fetched record does not change when the store changes.", recordsAreCopies),
    Rule("ATOM-010", "An update without a change changes nothing.", emptyUpdate),
    .second(
      "ATOM-011",
      "An update of a property that the entity lacks throws `invalidValue`.",
      missingProperty
    ),
    .second(
      "ATOM-012",
      "A read rethrows an error of its body, and the store remains usable.",
      failingReader
    ),
  ]

  private static func missingRow(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob"])
    try bench.delete(people[0])
    try expect("an update of a deleted row", throws: .conflict) {
      try bench.update(people[0], ["name": .string("Eve")])
    }
    try expect("an update along with the deletion", throws: .conflict) {
      try bench.save(
        updating: [Sample.update(people[1], ["name": .string("Eve")])],
        deleting: [people[1]]
      )
    }
    try expect("the rows", bench.names(of: "Person"), equals: ["Bob"])
  }

  /// Attempts a batch that changes rows in each way and then fails.
  private static func refusedBatch(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob", "Cid", "gone"])
    try bench.update(people[1], ["mentor": .identifier(people[0])])
    try bench.delete(people[3])
    try expect("the batch", throws: .conflict) {
      try bench.save(
        inserting: [Sample.record("Dog", ["owner": .identifier(people[1])])],
        updating: [
          Sample.update(people[1], ["name": .string("changed"), "mentor": .null]),
          Sample.update(people[2], ["favourites": .identifiers([])]),
          Sample.update(people[3], ["name": .string("back")]),
        ],
        deleting: [people[0]]
      )
    }
    try expect("the people", bench.names(of: "Person"), equals: ["Ada", "Bob", "Cid"])
    try expect("the animals", bench.names(of: "Animal"), equals: [])
    try bench.expectValue("mentor", of: people[1], .identifier(people[0]))
    try expect("the related rows", bench.members("students", of: people[0]), equals: [people[1]])
  }

  private static func recordsAreCopies(_ bench: StoreBench) throws {
    let person = try bench.insert("Person", ["name": .string("Ada")])
    let before = try bench.record(person)
    try bench.update(person, ["name": .string("Eve")])
    try expect("the record that was fetched before", before?["name"], equals: .string("Ada"))
    try expect("the row", bench.value("name", of: person), equals: .string("Eve"))
  }

  private static func emptyUpdate(_ bench: StoreBench) throws {
    let specimen = try bench.insert("Specimen", ["name": .string("a"), "int64": .integer(1)])
    let before = try bench.record(specimen)
    try bench.save(
      inserting: [Sample.record("Person")],
      updating: [Sample.update(specimen, [:])]
    )
    try expect("the row", bench.record(specimen), equals: before)
    try expect("its version", bench.record(specimen)?.version, equals: before?.version)
    try expect("the new rows", bench.names(of: "Person").count, equals: 1)
  }

  private static func missingProperty(_ bench: StoreBench) throws {
    let row = try bench.insert("Passport", ["name": .string("a")])
    for index in [2, 40, -1] {
      try expect("property \(index)", throws: .invalidValue) {
        try bench.save(
          inserting: [Sample.record("Passport")],
          updating: [StoreUpdate(identifier: row, changes: [.init(index, .string("b"))])]
        )
      }
    }
    try expect("the rows", bench.names(of: "Passport"), equals: ["a"])
  }

  private static func failingReader(_ bench: StoreBench) throws {
    struct Stop: Error {}
    _ = try bench.insert("Person", named: ["a", "b", "c"])
    let store = try bench.store
    var seen = 0
    let reads: [() throws -> Void] = [
      {
        try store.read(StoreQuery(entity: "Person")) { _ in
          seen += 1
          if seen == 2 { throw Stop() }
        }
      }, { try store.readingOneState { throw Stop() } },
    ]
    for read in reads {
      do {
        try read()
        throw RuleViolation("a read whose body throws", expected: "its error", found: "no error")
      } catch is Stop {
        try expect("the rows until then", seen, equals: 2)
      }
    }
    try bench.insert("Person", ["name": .string("d")])
    try expect("the rows", bench.names(of: "Person"), equals: ["a", "b", "c", "d"])
  }

  private static func emptyBatch(_ bench: StoreBench) throws {
    try bench.insert("Person", ["name": .string("Ada")])
    let result = try bench.save()
    try expect("the result", result.remapped.count + result.merged.count, equals: 0)
    try expect("the rows", bench.names(of: "Person"), equals: ["Ada"])
  }

  private static func worksOn(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob", "gone"])
    try bench.delete(people[2])
    try expect("the batch", throws: .conflict) { try bench.update(people[2], ["age": .null]) }
    let new = try bench.insert("Person", named: ["Dan"])
    try expect("the new row", Set(people).isDisjoint(with: new), "an identifier of its own")
    try bench.delete(people[0])
    try expect("the rows", bench.names(of: "Person"), equals: ["Bob", "Dan"])
  }

  private static func orderOfEffect(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["Ada", "Bob"])
    let new = try Sample.record("Person", ["name": .string("Cid")])
    let result = try bench.save(
      inserting: [new],
      updating: [Sample.update(people[1], ["mentor": .identifier(new.persistentIdentifier)])],
      deleting: [people[0]]
    )
    try expect("the rows", bench.names(of: "Person"), equals: ["Bob", "Cid"])
    try bench.expectValue("mentor", of: people[1], .identifier(result.identifier(of: new)))
  }
}
