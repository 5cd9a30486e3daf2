import StoreProtocol

/// Rules about the history of deleted rows, of bulk changes, and of saves that fail.
enum TombstoneRules {
  static let all: [Rule] = [
    Rule(
      "HIST-012",
      "A deletion contains the values of preserved attributes, and by default no others.",
      needs: [.history],
      interface: .transactions,
      since: 2,
      tombstones
    ),
    Rule(
      "HIST-014",
      "A save with a failed step is in the history exactly if its rows are stored.",
      needs: [.history, .durability],
      hooks: [.faults],
      interface: .transactions,
      since: 2,
      failedSteps
    ),
  ]

  private static func tombstones(_ bench: StoreBench) throws {
    let kept = StoreProperty(
      name: "number",
      kind: .attribute(.int64),
      isOptional: true,
      options: ["preserveValueOnDeletion"]
    )
    let entity = StoreEntity(
      name: "Ticket",
      properties: [SampleEntities.attribute("name", .string, isOptional: false), kept]
    )
    try bench.open(Schema(storeSchema: StoreSchema(entities: [entity])))
    let rows = try bench.insert(
      ([.integer(1), .integer(2), .null] as [StoreValue]).map {
        Sample.record(of: entity, [.string("t"), $0])
      }
    )
    try bench.save(updating: [StoreUpdate(identifier: rows[1], changes: [.init(1, .integer(9))])])
    try bench.save(deleting: rows)
    let changes = try HistoryRules.history(bench).last?.changes ?? .init()
    try expect("the deleted rows", changes.map(\.identifier), equals: rows)
    try expect("the kinds", Set(changes.map(\.kind)), equals: [.delete])
    let numbers = changes.map { $0.before["number"] ?? .null }
    try expect("the preserved values", numbers, equals: [.integer(1), .integer(9), .null])
  }

  private static func failedSteps(_ bench: StoreBench) throws {
    try FaultRules.atEachStep(bench) { bench, step in
      let row = try bench.insert("Person", ["name": .string("before")])
      let countBefore = try HistoryRules.history(bench).count
      let isReached = bench.run(.failure, at: step) {
        try? bench.update(row, ["name": .string("after")])
      }
      try bench.reopen()
      let isStored = try bench.value("name", of: row) == .string("after")
      try expect(
        "the transactions after a save with a failed step",
        HistoryRules.history(bench).count,
        equals: isStored ? countBefore + 1 : countBefore
      )
      return isReached
    }
  }
}
