import Foundation
import StoreProtocol

/// Rules about the recorded changes of saves.
enum HistoryRules {
  static let all: [Rule] = [
    rule("HIST-001", "A save is one transaction with its number and author.", transactions),
    rule("HIST-002", "A transaction contains one net change for each changed row.", net),
    rule("HIST-003", "A save that throws adds no transaction.", refused),
    rule("HIST-006", "Any number of new rows is reported row by row.", many),
    rule("HIST-007", "A filter returns the transactions that satisfy it.", filters),
    rule("HIST-008", "Transactions are returned in the requested order and number.", order),
    rule("HIST-024", "A transaction has the time of its save.", times),
  ]

  static let rule = Rule.making(needs: [.history], interface: .transactions)

  static func store(_ bench: StoreBench) throws -> any HistoryKeeping {
    let store = try bench.untraced
    if let store = store as? any HistoryKeeping { return store }
    throw RuleViolation(
      "a store that declares its history",
      expected: "one that adopts HistoryKeeping",
      found: "\(type(of: store))"
    )
  }

  static func history(
    _ bench: StoreBench,
    _ query: StoreHistoryQuery = StoreHistoryQuery()
  ) throws -> [StoreTransaction] {
    let store = try store(bench)
    return try bench.trace.note({ "transactions \(ValueText.text(query))" }, TraceText.transactions)
    {
      try store.transactions(query)
    }
  }

  /// Returns the changes as `+Person/1`, `~Person/1 age,name`, `-Person/1`.
  private static func story(_ transaction: StoreTransaction?) -> [String] {
    (transaction?.changes ?? .init()).map { change in
      switch change.kind {
      case .insert: "+\(change.identifier)"
      case .update: "~\(change.identifier) \(change.properties.sorted().joined(separator: ","))"
      case .delete: "-\(change.identifier)"
      }
    }
  }

  static func save(
    _ bench: StoreBench,
    _ author: String?,
    _ entity: String = "Cat"
  ) throws -> (row: PersistentIdentifier, number: Int64) {
    let record = try Sample.record(entity, ["name": .string("x")])
    let state = EditingState(author: author)
    let result = try bench.store.apply(StoreChanges(inserted: [record], editingState: state))
    return (try result.identifier(of: record), result.version)
  }

  private static func transactions(_ bench: StoreBench) throws {
    try expect("the history of a new store", history(bench).count, equals: 0)
    let start = try store(bench).historyBounds()
    let first = try save(bench, "ada")
    let second = try save(bench, nil, "Puppy")
    let found = try history(bench)
    try expect("the numbers", found.map(\.number), equals: [first.number, second.number])
    try expect("the authors", found.map(\.author), equals: ["ada", nil])
    try expect("the first changes", story(found.first), equals: ["+\(first.row)"])
    try expect("the second changes", story(found.last), equals: ["+\(second.row)"])
    let end = try store(bench).historyBounds()
    try expect("the last number", end.last, equals: second.number)
    try expect("the cut", end.cut, equals: start.cut)
    try expect("the first number", first.number, >, start.last, "after the previous end")
  }

  private static func net(_ bench: StoreBench) throws {
    let rows = try bench.insert("Person", named: ["a", "b", "c"])
    let record = try Sample.record("Person", ["name": .string("d")])
    let result = try bench.save(
      inserting: [record],
      updating: [
        Sample.update(rows[0], ["name": .string("x")]),
        Sample.update(rows[0], ["age": .integer(3)]),
        Sample.update(rows[1], ["age": .integer(4)]),
      ],
      deleting: [rows[2]]
    )
    let new = try result.identifier(of: record)
    let expected = [
      "+\(new)", "~\(rows[0]) age,name", "~\(rows[1]) age", "-\(rows[2])",
    ]
    try expect("the changes", story(history(bench).last), equals: expected)
    let cat = try bench.insert("Cat", ["name": .string("e")])
    let others = try bench.insert("Person", named: ["f", "g"])
    try bench.save(deleting: [others[1], cat, others[0]])
    let gone = ["-\(cat)", "-\(others[0])", "-\(others[1])"]
    try expect("the deletions by entity and key", story(history(bench).last), equals: gone)
  }

  private static func times(_ bench: StoreBench) throws {
    for _ in 0..<2 {
      let start = StoreEnvironment.current.now()
      _ = try save(bench, nil)
      let end = StoreEnvironment.current.now()
      guard let time = try history(bench).last?.timestamp else { continue }
      // Stores may record whole seconds. Unlike dates, numbers compare false with what is no number.
      let seconds = time.timeIntervalSinceReferenceDate
      let isBetween =
        seconds >= start.timeIntervalSinceReferenceDate - 1
        && seconds <= end.timeIntervalSinceReferenceDate + 1
      try expect("the time \(ValueText.text(time))", isBetween, "one from \(start) to \(end)")
    }
  }

  private static func many(_ bench: StoreBench) throws {
    let names = (0..<3_000).map { "\($0)" }
    let rows = try bench.insert("Cat", named: names)
    let changes = try history(bench).last?.changes ?? .init()
    try expect("the kinds", Set(changes.map(\.kind)), equals: [.insert])
    try expect("the rows", Set(changes.map(\.identifier)), equals: Set(rows))
    let left = stride(from: 0, to: rows.count, by: 3).map { rows[$0] }
    try bench.save(deleting: left)
    let gone = try history(bench).last?.changes ?? .init()
    try expect("the deleted rows", gone.map(\.identifier), equals: left)
  }

  private static func filters(_ bench: StoreBench) throws {
    for (author, entity) in [("ada", "Cat"), (nil, "Puppy"), ("é", "Cat"), ("ada", "Person")] {
      _ = try save(bench, author, entity)
    }
    try bench.save(deleting: bench.store.identifiers(StoreQuery(entity: "Person")))
    let all = try history(bench)
    try expect("the transactions", all.count, equals: 5)
    let (number, time) = (all[1].number, all[2].timestamp)
    let filters: [StoreHistoryFilter] = [
      .constant(true), .constant(false), .number(.greater, number), .number(.lessOrEqual, number),
      .number(.notEqual, number), .numbers([number, all[3].number]), .numbers([]),
      .timestamp(.less, time), .timestamp(.greaterOrEqual, time), .text(.author, ["ada"]),
      .timestamp(.less, Date(timeIntervalSinceReferenceDate: .nan)),
      .timestamp(.notEqual, Date(timeIntervalSinceReferenceDate: .nan)),
      .text(.author, [nil]), .text(.author, ["e\u{301}", nil]), .text(.author, []),
      .not(.text(.author, ["ada"])), .text(.process, [all[0].processIdentifier]),
      .changes(entities: ["Cat", "Person"]), .changes(entities: ["Animal"]),
      .all([.number(.greater, number), .text(.author, ["ada"])]), .all([]), .any([]),
      .any([.number(.equal, number), .not(.changes(entities: ["Cat"]))]),
    ]
    for filter in filters {
      let expected = all.filter { filter.matches($0) }.map(\.number)
      let found = try history(bench, StoreHistoryQuery(filter: filter)).map(\.number)
      try expect("the transactions for \(ValueText.text(filter))", found, equals: expected)
    }
  }

  private static func refused(_ bench: StoreBench) throws {
    let row = try bench.insert("Person", ["name": .string("a")])
    try bench.delete(row)
    let count = try history(bench).count
    let record = try Sample.record("Person", ["name": .string("b")])
    try expect("a change of a row that does not exist", throws: .conflict) {
      try bench.save(inserting: [record], updating: [Sample.update(row, ["age": .integer(1)])])
    }
    try expect("the number of transactions", history(bench).count, equals: count)
  }

  private static func order(_ bench: StoreBench) throws {
    for _ in 0..<5 { _ = try save(bench, nil) }
    let all = try history(bench)
    let newest = StoreHistoryQuery(order: [.init(.number, isReversed: true)], limit: 2)
    try expect("the newest", history(bench, newest), equals: Array(all.reversed().prefix(2)))
    let byTime = StoreHistoryQuery(order: [.init(.timestamp)], limit: 3)
    try expect("the first by time", history(bench, byTime).count, equals: 3)
    try expect("none", history(bench, StoreHistoryQuery(limit: 0)).count, equals: 0)
  }
}
