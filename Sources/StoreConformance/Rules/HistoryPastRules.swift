import Foundation
import StoreProtocol

/// Rules about identifiers of saves in transactions, and about stored positions of readers.
enum HistoryPastRules {
  static let all: [Rule] = [
    HistoryRules.rule(
      "HIST-015",
      "A transaction has the identifier and the origin of its save.",
      identifiers
    ),
    HistoryRules.rule(
      "HIST-018",
      "Transactions that a named reader has not read stay in the history.",
      pins
    ),
    Rule(
      "HIST-025",
      "A migration renames properties in the history; a new property has no earlier changes.",
      needs: [.history, .migration, .durability],
      interface: .transactions,
      renaming
    ),
  ]

  private static func identifiers(_ bench: StoreBench) throws {
    var saves: [UUID] = []
    for (number, origin) in [SaveOrigin.program, .copy, SaveOrigin(rawValue: "own")].enumerated() {
      let record = try Sample.record("Cat", ["name": .string("\(number)")])
      let changes = StoreChanges(inserted: [record], origin: origin)
      saves.append(changes.saveIdentifier)
      _ = try bench.store.apply(changes)
    }
    for _ in 0..<2 {
      let found = try HistoryRules.history(bench)
      try expect("the identifiers", found.map(\.saveIdentifier), equals: saves)
      try expect("the origins", found.map(\.origin.rawValue), equals: ["program", "copy", "own"])
    }
  }

  private static func renaming(_ bench: StoreBench) throws {
    func open(_ version: String, _ properties: StoreProperty...) throws {
      let book = StoreEntity(name: "Book", properties: properties)
      try bench.open(Schema(storeSchema: StoreSchema(version: version, entities: [book])))
    }
    let title = SampleEntities.attribute("title", .string)
    let pages = SampleEntities.attribute("pages", .int64)
    let name = StoreProperty(
      name: "name",
      originalName: "title",
      kind: .attribute(.string),
      isOptional: true
    )
    try open("1.0.0", title, pages)
    let book = StoreEntity(name: "Book", properties: [title, pages])
    let row = try bench.insert([Sample.record(of: book, [.string("a"), .integer(1)])])[0]
    let changes: [StoreUpdate.Change] = [.init(0, .string("b")), .init(1, .integer(2))]
    try bench.save(updating: [StoreUpdate(identifier: row, changes: changes)])
    try open("2.0.0", name)
    try open("3.0.0", name, title, pages)
    let updates = try HistoryRules.history(bench).flatMap(\.changes).filter { $0.kind == .update }
    try expect("the updates", updates.map(\.identifier), equals: [row])
    let names = Set(updates.flatMap(\.properties))
    try expect("the names \(names.sorted())", names.contains("name"), "the new name")
    try expect(
      "the names \(names.sorted())",
      names.isDisjoint(with: ["title", "pages"]),
      "no property that was added later"
    )
  }

  private static func position(
    _ name: String,
    _ number: Int64,
    _ save: UUID?
  ) -> HistoryReaderPosition {
    let time = Date(timeIntervalSinceReferenceDate: 700_000_000)
    return HistoryReaderPosition(name: name, number: number, save: save, timestamp: time)
  }

  private static func pins(_ bench: StoreBench) throws {
    let first = try HistoryRules.save(bench, nil)
    let store = try HistoryRules.store(bench)
    try store.setHistoryReader(position("index", first.number, nil))
    for _ in 0..<39 { _ = try HistoryRules.save(bench, nil) }
    // The slowest reader determines what stays.
    let last = try HistoryRules.save(bench, nil)
    try store.setHistoryReader(position("backup", last.number, nil))
    // This is longer than stores keep transactions that all have read. A clock can be wrong, so there
    // is no limit for the age of unread ones.
    let later = StoreEnvironment(now: { Date(timeIntervalSinceNow: 4000 * 86_400) })
    try StoreEnvironment.$current.withValue(later) {
      for _ in 0..<40 { _ = try HistoryRules.save(bench, nil) }
    }
    let query = StoreHistoryQuery(filter: .number(.greater, first.number))
    try expect("the unread transactions", HistoryRules.history(bench, query).count, equals: 80)
    let bounds = try store.historyBounds()
    try expect("the cut", bounds.cut, <=, first.number, "not after the position of the reader")
  }
}
