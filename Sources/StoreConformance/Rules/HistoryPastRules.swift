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
      "HIST-016",
      "A position contains the identifier of the last save that it includes.",
      positions
    ),
    HistoryRules.rule(
      "HIST-017",
      "The position of a reader is stored, and can move with a save.",
      readers
    ),
    HistoryRules.rule(
      "HIST-018",
      "Transactions that a named reader has not read stay in the history.",
      pins
    ),
    HistoryRules.durable(
      "HIST-019",
      "Identifiers of saves and positions of readers persist when the store is reopened.",
      reopening
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

  private static func positions(_ bench: StoreBench) throws {
    for number in 0..<4 { _ = try HistoryRules.save(bench, "\(number)") }
    let store = try HistoryRules.store(bench)
    let found = try HistoryRules.history(bench)
    try expect("the transactions", found.count, equals: 4)
    for transaction in found {
      let save = try store.saveIdentifier(at: transaction.number)
      try expect("the save at \(transaction.number)", save, equals: transaction.saveIdentifier)
    }
    let last = found.last?.saveIdentifier
    try expect("the last save", store.historyBounds().lastSave, equals: last)
    try store.deleteTransactions(.number(.lessOrEqual, found[1].number))
    let cut = try store.historyBounds()
    try expect("the save at the cut", cut.cutSave, equals: found[1].saveIdentifier)
    let save = try store.saveIdentifier(at: found[1].number)
    try expect("the save at the cut's number", save, equals: found[1].saveIdentifier)
    try store.deleteTransactions(nil)
    try expect("the last save of an empty history", store.historyBounds().lastSave, equals: last)
    try bench.store.erase()
    let end = try store.historyBounds()
    try expect("the save of an erasure", end.lastSave != last, "another one than before")
    try expect("the save at the end", store.saveIdentifier(at: end.last), equals: end.lastSave)
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
    let book = DefaultSnapshot(
      persistentIdentifier: .temporary(of: "Book"),
      names: PropertyNames(["title", "pages"]),
      values: [.string("a"), .integer(1)]
    )
    let row = try bench.insert([book])[0]
    try bench.save(updating: [
      StoreUpdate(
        identifier: row,
        changes: [StoreUpdate.Change(0, .string("b")), StoreUpdate.Change(1, .integer(2))]
      )
    ])
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

  private static func readers(_ bench: StoreBench) throws {
    let first = try HistoryRules.save(bench, nil)
    let second = try HistoryRules.save(bench, nil)
    let saves = try HistoryRules.history(bench).map(\.saveIdentifier)
    try expect("the transactions", saves.count, equals: 2)
    let store = try HistoryRules.store(bench)
    try expect("the readers of a new store", store.historyReaders(), equals: [])
    let index = position("index", first.number, saves[0])
    let outbox = position("caf\u{E9} \"'", first.number, nil)
    try store.setHistoryReader(index)
    try store.setHistoryReader(outbox)
    try expect("the readers", store.historyReaders(), equals: [outbox, index])
    // The step is part of a save that fails, and then of one that is stored.
    let moved = position("index", second.number, saves[1])
    try bench.delete(first.row)
    let update = try Sample.update(first.row, ["name": .string("z")])
    var refused = StoreChanges(updated: [update])
    refused.readers = [moved]
    try expect("a change of a row that does not exist", throws: .conflict) {
      _ = try bench.store.apply(refused)
    }
    try expect(
      "the readers after a save that threw",
      store.historyReaders(),
      equals: [outbox, index]
    )
    var changes = StoreChanges(inserted: [try Sample.record("Cat", ["name": .string("new")])])
    changes.readers = [moved]
    _ = try bench.store.apply(changes)
    try expect("the readers after a save", store.historyReaders(), equals: [outbox, moved])
    var alone = StoreChanges()
    alone.readers = [position("index", first.number, saves[0])]
    let count = try HistoryRules.history(bench).count
    _ = try bench.store.apply(alone)
    let back = try store.historyReaders()
    try expect("the readers after a save of nothing else", back, equals: [outbox, index])
    try expect("the transactions", HistoryRules.history(bench).count, equals: count)
    try store.removeHistoryReader("cafe\u{301} \"'")
    try store.removeHistoryReader("nobody")
    try expect("the remaining readers", store.historyReaders(), equals: [index])
  }

  private static func reopening(_ bench: StoreBench) throws {
    for number in 0..<4 { _ = try HistoryRules.save(bench, "\(number)") }
    var store = try HistoryRules.store(bench)
    let found = try HistoryRules.history(bench)
    try expect("the transactions", found.count, equals: 4)
    let reader = position("index", found[2].number, found[2].saveIdentifier)
    try store.setHistoryReader(position("gone", found[0].number, nil))
    try store.setHistoryReader(reader)
    try store.removeHistoryReader("gone")
    try store.deleteTransactions(.number(.equal, found[0].number))
    let bounds = try store.historyBounds()
    try bench.reopen()
    store = try HistoryRules.store(bench)
    let saves = try HistoryRules.history(bench).map(\.saveIdentifier)
    try expect("the identifiers", saves, equals: found.dropFirst().map(\.saveIdentifier))
    try expect("the readers", store.historyReaders(), equals: [reader])
    try expect("the save at the cut", store.historyBounds().cutSave, equals: bounds.cutSave)
    try bench.store.erase()
    let end = try store.historyBounds()
    try bench.reopen()
    try expect("the history after an erasure", HistoryRules.history(bench).count, equals: 0)
    try expect("its end", HistoryRules.store(bench).historyBounds(), equals: end)
  }

  private static func pins(_ bench: StoreBench) throws {
    let first = try HistoryRules.save(bench, nil)
    let store = try HistoryRules.store(bench)
    try store.setHistoryReader(position("index", first.number, nil))
    for _ in 0..<40 { _ = try HistoryRules.save(bench, nil) }
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
