import StoreProtocol

/// Rules about the optional fast paths of a store: nested reads, rows of related objects with their
/// owners, and rows whose values a producer writes.
enum DirectRules {
  static let all: [Rule] = [
    .second("DIRECT-003", "A row can be read while another row is being read.", nestedRows),
    .second(
      "DIRECT-004",
      "`members` reads each related row once, with its owner, and returns the stored orders.",
      memberRows
    ),
    .second(
      "DIRECT-005",
      "A new row whose values a producer writes is stored like a record.",
      insertions
    ),
    .second(
      "DIRECT-006",
      "A change whose values a producer writes is stored like one of a record.",
      updates
    ),
    .second(
      "DIRECT-007",
      "If the row of a change whose values a producer writes does not exist, nothing is stored.",
      failures
    ),
  ]

  private static func nestedRows(_ bench: StoreBench) throws {
    let people = try bench.insert("Person", named: ["a", "b", "c"])
    let store = try bench.store
    var names: [StoreValue] = []
    try store.read(.row(people[0], of: "Person")) { first in
      try store.read(.row(people[1], of: "Person")) { second in
        try store.read(.row(people[2], of: "Person")) { names.append(try $0.value(at: 0)) }
        names.append(try second.value(at: 0))
      }
      names.append(try first.value(at: 0))
    }
    try expect("the names", names, equals: [.string("c"), .string("b"), .string("a")])
  }

  private static func memberRows(_ bench: StoreBench) throws {
    let owner = try bench.insert("Person")
    let pets = try bench.insert(
      (0..<3).map { _ in try Sample.record("Puppy", ["owner": .identifier(owner)]) }
    )
    let list = [pets[1], pets[2], pets[0]]
    try bench.update(owner, ["pets": .identifiers(list)])
    var rows: [Int64: [PersistentIdentifier]] = [:]
    let found = try bench.store.members(
      of: "pets",
      in: "Person",
      owners: [owner],
      wantsRows: true
    ) { rows[$0, default: []].append($1.identifier) }
    guard case .read(let orders) = found, let key = owner.integerKey else { return }
    try expect("the related rows by owner", rows.mapValues { $0.sorted() }, equals: [key: pets])
    let order = (orders[key] ?? []).compactMap { key in pets.first { $0.integerKey == key } }
    try expect("their order", MemberOrder.ordered(pets, by: order), equals: list)
  }

  /// Returns the specimens without their identifiers.
  private static func specimens(_ bench: StoreBench) throws -> [[StoreValue]] {
    try bench.store.fetch(StoreQuery(entity: "Specimen")).map(\.values)
  }

  private static func produced(
    _ changes: StoreChanges,
    _ bench: StoreBench
  ) throws -> StoreChanges {
    try changes.produced(bench.schema.storeSchema, in: bench.store.identifier)
  }

  private static func insertions(_ bench: StoreBench) throws {
    let records = try ([1, 2, 3] as [Int64]).map { number in
      try Sample.record("Specimen", ["name": .string("\(number)"), "int64": .integer(number)])
    }
    _ = try bench.insert(records)
    let expected = try specimens(bench)
    try bench.store.erase()
    var changes = StoreChanges()
    changes.insertions = try [[records[0]], Array(records.dropFirst())].flatMap { records in
      try produced(StoreChanges(inserted: records), bench).insertions
    }
    let rows = try bench.store.apply(changes).identifiers(of: changes, in: bench.store)
    try expect("the values", specimens(bench), equals: expected)
    try expect("the rows", bench.store.identifiers(StoreQuery(entity: "Specimen")), equals: rows)
  }

  private static func updates(_ bench: StoreBench) throws {
    let rows = try bench.insert("Specimen", named: ["a", "b", "c"])
    func updates(_ number: Int64, _ weight: Double) throws -> [StoreUpdate] {
      try [rows[0], rows[2]].map {
        try Sample.update($0, ["int64": .integer(number), "double": .double(weight)])
      }
    }
    try bench.save(updating: updates(7, 0.5))
    let expected = try specimens(bench)
    try bench.save(updating: updates(8, 2))
    _ = try bench.store.apply(produced(StoreChanges(updated: updates(7, 0.5)), bench))
    try expect("the values", specimens(bench), equals: expected)
  }

  private static func failures(_ bench: StoreBench) throws {
    let rows = try bench.insert("Specimen", named: ["a", "b"])
    try bench.delete(rows[1])
    let expected = try specimens(bench)
    let changes = try StoreChanges(
      inserted: [Sample.record("Specimen")],
      updated: rows.map { try Sample.update($0, ["int64": .integer(1)]) }
    )
    try expect("a change of a row that does not exist", throws: .conflict) {
      _ = try bench.store.apply(produced(changes, bench))
    }
    try expect("the values", specimens(bench), equals: expected)
  }
}
