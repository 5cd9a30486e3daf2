import Foundation
import StoreProtocol

/// Probes of the history, bulk changes, one state and watching.
enum ProbesOfHistory {
  private static func numbers(
    _ probe: ProbeStore,
    _ query: StoreHistoryQuery = StoreHistoryQuery()
  ) throws -> [Int64] { try probe.history.transactions(query).map(\.number) }

  private static func save(_ count: Int, in probe: ProbeStore) throws -> [Int64] {
    try (0..<count).map { _ in try probe.save([new("Tag")]).version }
  }

  private static func isBulk(_ probe: ProbeStore) -> Bool {
    probe.store.capabilities.batchDelete == .native
  }

  static let all: [String: Probe] = [
    "a merge is the cause of its update": { probe in
      let book = try probe.add("Book", ["code": .string("a")])
      _ = try probe.add("Book", ["code": .string("a")])
      try expect("the cause", probe.lastChange(of: book)?.cause, is: .merge)
    },
    "a merge is the cause beside other changes": { probe in
      let book = try probe.add("Book", ["code": .string("a")])
      _ = try probe.add([new("Book", ["code": .string("a")]), new("Tag")])
      try expect("the cause", probe.lastChange(of: book)?.cause, is: .merge)
    },
    "a merge is the cause of a lost counterpart": { probe in
      let (book, cover) = (new("Book", ["code": .string("a")]), new("Cover"))
      var (one, other) = (book, cover)
      one["cover"] = cover.reference
      other["book"] = book.reference
      let rows = try probe.add([one, other])
      _ = try probe.add("Book", ["code": .string("a")])
      try expect("the cause", probe.lastChange(of: rows[1])?.cause, is: .merge)
    },
    "a delete rule is the cause of a cleared reference": { probe in
      let shelf = try probe.add("Shelf")
      let book = try probe.add("Book", ["shelf": .identifier(shelf)])
      try probe.save(deleting: [shelf])
      try expect("the cause", probe.lastChange(of: book)?.cause, is: .deleteRule)
    },
    "the deletion of a missing row is not reported": { probe in
      let tags = try probe.add([new("Tag"), new("Tag")])
      try probe.save(deleting: [tags[0]])
      try probe.save(deleting: [tags[0], tags[1]])
      try expect("the changes", probe.lastTransaction().changes.count, is: 1)
    },
    "the cut only moves forward": { probe in
      let saves = try save(4, in: probe)
      try probe.history.deleteTransactions(.number(.equal, saves[2]))
      try probe.history.deleteTransactions(.number(.equal, saves[0]))
      try expect("the cut", probe.history.historyBounds().cut, is: saves[2])
    },
    "the cut is behind the last deleted transaction": { probe in
      let saves = try save(4, in: probe)
      try probe.history.deleteTransactions(.numbers([saves[0], saves[2]]))
      try expect("the cut", probe.history.historyBounds().cut, is: saves[2])
    },
    "only matching transactions are deleted": { probe in
      let saves = try save(4, in: probe)
      try probe.history.deleteTransactions(.numbers([saves[0], saves[2]]))
      try expect("the transactions", numbers(probe), is: [saves[1], saves[3]])
    },
    "ties of an order are in ascending order of number": { probe in
      let time = Date(timeIntervalSinceReferenceDate: 700_000_000)
      let saves = try StoreEnvironment.$current.withValue(StoreEnvironment(now: { time })) {
        try save(3, in: probe)
      }
      let query = StoreHistoryQuery(order: [.init(.timestamp, isReversed: true)])
      try expect("the transactions", numbers(probe, query), is: saves)
    },
    "a filter finds deletions by entity": { probe in
      let tag = try probe.add("Tag")
      let save = try probe.save(deleting: [tag]).version
      _ = try probe.add("Shelf")
      let query = StoreHistoryQuery(
        filter: .all([.changes(entities: ["Tag"]), .number(.greaterOrEqual, save)])
      )
      try expect("the transactions", numbers(probe, query), is: [save])
    },
    "a filter finds saves without an author": { probe in
      let save = try probe.save([new("Tag")]).version
      try probe.save([new("Tag")]) { $0.editingState = EditingState(author: "ada") }
      let query = StoreHistoryQuery(filter: .text(.author, [nil]))
      try expect("the transactions", numbers(probe, query), is: [save])
    },
    "a filter compares authors as Swift does": { probe in
      let save = try probe.save([new("Tag")]) { $0.editingState = EditingState(author: "e\u{301}") }
      let query = StoreHistoryQuery(filter: .text(.author, ["\u{E9}"]))
      try expect("the transactions", numbers(probe, query), is: [save.version])
    },
    "a position has the save at or before it": { probe in
      let saves = try save(3, in: probe)
      let own = try probe.history.transactions(StoreHistoryQuery()).map(\.saveIdentifier)
      try expect("the save", probe.history.saveIdentifier(at: saves[1]), is: own[1])
    },
    "a reader moves again": { probe in
      let saves = try save(2, in: probe)
      for number in saves {
        try probe.history.setHistoryReader(
          HistoryReaderPosition(name: "r", number: number, save: nil, timestamp: Date())
        )
      }
      try expect("the position", probe.history.historyReaders().map(\.number), is: [saves[1]])
    },
    "a reader moves with a save that changes nothing": { probe in
      let last = try save(1, in: probe)[0]
      try probe.save {
        $0.readers = [HistoryReaderPosition(name: "r", number: last, save: nil, timestamp: Date())]
      }
      try expect("the position", probe.history.historyReaders().map(\.number), is: [last])
    },
    "a reader is removed by any form of its name": { probe in
      let last = try save(1, in: probe)[0]
      try probe.history.setHistoryReader(
        HistoryReaderPosition(name: "caf\u{E9}", number: last, save: nil, timestamp: Date())
      )
      try probe.history.removeHistoryReader("cafe\u{301}")
      try expect("the readers", probe.history.historyReaders().count, is: 0)
    },
    "a reader's save is known after reopening": { probe in
      let (last, identifier) = (try save(1, in: probe)[0], UUID())
      try probe.history.setHistoryReader(
        HistoryReaderPosition(name: "r", number: last, save: identifier, timestamp: Date())
      )
      try probe.reopen()
      try expect("the save", probe.history.historyReaders().first?.save, is: identifier)
    },
    "an erasure erases the history": { probe in
      _ = try save(2, in: probe)
      try probe.store.erase()
      try expect("the transactions", numbers(probe).count, is: 0)
    },
    "a bulk deletion keeps preserved values": { probe in
      guard isBulk(probe) else { return }
      let book = try probe.add("Book", ["kept": .string("k")])
      try probe.save { $0.bulkChanges = [.delete(StoreQuery(entity: "Book"))] }
      try expect("the value", probe.lastChange(of: book)?.before["kept"], is: .string("k"))
    },
    "a bulk update is reported row by row": { probe in
      guard isBulk(probe) else { return }
      let books = try probe.add([new("Book"), new("Novel")])
      try probe.save {
        $0.bulkChanges = [
          .update(StoreQuery(entity: "Book"), [StoreAssignment("pages", .constant(.integer(1)))])
        ]
      }
      let updates = try probe.lastTransaction().changes.filter { $0.kind == .update }
      let changed = Set(updates.map(\.identifier))
      try expect("the rows", changed, is: Set(books))
    },
    "the result has all rows of a bulk update": { probe in
      guard isBulk(probe) else { return }
      let books = try probe.add([new("Book"), new("Novel")])
      let result = try probe.save {
        $0.bulkChanges = [
          .update(StoreQuery(entity: "Book"), [StoreAssignment("pages", .constant(.integer(1)))])
        ]
      }
      try expect("the rows", Set(result.updated), is: Set(books))
    },
    "a bulk update gives its rows the save's number": { probe in
      guard isBulk(probe) else { return }
      let book = try probe.add("Book")
      let result = try probe.save {
        $0.bulkChanges = [
          .update(StoreQuery(entity: "Book"), [StoreAssignment("pages", .constant(.integer(1)))])
        ]
      }
      try expect("the version", probe.version(of: book), is: result.version)
    },
    "a bulk update of a missing row is a conflict": { probe in
      guard isBulk(probe) else { return }
      let books = try probe.add([new("Book"), new("Book")])
      try probe.save(deleting: [books[0]])
      try expectError("the batch", .conflict) {
        try probe.save {
          $0.bulkChanges = [
            .update(
              .rows(books, of: "Book"),
              [StoreAssignment("pages", .constant(.integer(1)))]
            )
          ]
        }
      }
    },
    "bulk changes come before other changes": { probe in
      guard isBulk(probe) else { return }
      let book = try probe.add("Book", ["pages": .integer(1)])
      try probe.save(updating: [update(book, ["pages": .integer(5)])]) {
        $0.bulkChanges = [
          .update(StoreQuery(entity: "Book"), [StoreAssignment("pages", .constant(.integer(2)))])
        ]
      }
      try expect("the pages", probe.value("pages", of: book), is: .integer(5))
    },
    "one state has its own history": { probe in
      let last = try save(1, in: probe)[0]
      let store = probe.store
      try store.readingOneState {
        _ = try store.count(StoreQuery(entity: "Tag"))
        try onThread { _ = try store.apply(StoreChanges(inserted: [new("Tag")])) }
        try expect("the transactions", numbers(probe), is: [last])
      }
    },
    "one state has its own lists": { probe in
      let shelf = try probe.add("Shelf")
      let store = probe.store
      try store.readingOneState {
        _ = try store.count(StoreQuery(entity: "Book"))
        let book = new("Book", ["shelf": .identifier(shelf)])
        try onThread { _ = try store.apply(StoreChanges(inserted: [book])) }
        try expect("the books", probe.list("books", of: shelf).count, is: 0)
      }
    },
    "a watch reports every save": { probe in
      guard let watch = try probe.store.watch() else { return }
      let saves = try save(3, in: probe)
      try expect("the saves", watch.newSaves(), is: saves[0]...saves[2])
    },
    "a transaction names the properties of both updates": { probe in
      let book = try probe.add("Book")
      try probe.save(updating: [
        update(book, ["pages": .integer(1)]), update(book, ["note": .string("a")]),
      ])
      let change = try probe.lastChange(of: book)
      try expect("the properties", Set(change?.properties ?? []), is: ["pages", "note"])
      try expect("the cleared ones", change?.clearedProperties, is: [])
    },
    "a save without changes leaves no transaction": { probe in
      let tag = try probe.add("Tag")
      try probe.save(deleting: [tag])
      let count = try numbers(probe).count
      try probe.save(deleting: [tag])
      try expect("the transactions", numbers(probe).count, is: count)
    },
    "an empty author is an author": { probe in
      try probe.save([new("Tag")]) { $0.editingState = EditingState(author: "") }
      try expect("the author", probe.lastTransaction().author, is: "")
    },
    "a transaction has the origin of its save": { probe in
      try probe.save([new("Tag")]) { $0.origin = .copy }
      try expect("the origin", probe.lastTransaction().origin, is: .copy)
    },
    "a transaction has the identifier of its save": { probe in
      let identifier = UUID()
      try probe.save([new("Tag")]) { $0.saveIdentifier = identifier }
      try expect("the identifier", probe.lastTransaction().saveIdentifier, is: identifier)
    },
    "the end of the history is the last save": { probe in
      let last = try save(2, in: probe)[1]
      try probe.history.deleteTransactions(nil)
      try expect("the end is not before it", probe.history.historyBounds().last >= last, is: true)
    },
    "without a filter all transactions are deleted": { probe in
      _ = try save(2, in: probe)
      try probe.history.deleteTransactions(nil)
      try expect("the transactions", numbers(probe).count, is: 0)
    },
    "a filter that never holds finds no transactions": { probe in
      _ = try save(2, in: probe)
      try expect(
        "the transactions",
        numbers(probe, StoreHistoryQuery(filter: .constant(false))),
        is: []
      )
    },
    "the save at the cut is known": { probe in
      let saves = try save(3, in: probe)
      let own = try probe.history.transactions(StoreHistoryQuery()).map(\.saveIdentifier)
      try probe.history.deleteTransactions(.number(.lessOrEqual, saves[1]))
      try expect("the save", probe.history.historyBounds().cutSave, is: own[1])
    },
    "transactions stay until the slowest reader has read them": { probe in
      let first = try save(1, in: probe)[0]
      let second = try save(1, in: probe)[0]
      for (name, number) in [("slow", first), ("fast", second + 80)] {
        try probe.history.setHistoryReader(
          HistoryReaderPosition(name: name, number: number, save: nil, timestamp: Date())
        )
      }
      _ = try save(40, in: probe)
      let later = StoreEnvironment(now: { Date(timeIntervalSinceNow: 4_000 * 86_400) })
      try StoreEnvironment.$current.withValue(later) { _ = try save(40, in: probe) }
      let query = StoreHistoryQuery(filter: .number(.greater, first))
      try expect("the unread transactions", numbers(probe, query).count, is: 81)
    },
    "a new row that another record is merged into is one insertion": { probe in
      let code = ["code": StoreValue.string("a")]
      try probe.save([new("Book", code), new("Book", code)])
      let changes = try probe.lastTransaction().changes
      try expect("the kinds", changes.map(\.kind), is: [.insert])
    },
    "a deleted row is reported once": { probe in
      let shelf = try probe.add("Shelf")
      let book = try probe.add("Book", ["shelf": .identifier(shelf)])
      try probe.save(deleting: [shelf, book])
      let changes = try probe.lastTransaction().changes.filter { $0.identifier == book }
      try expect("the kinds", changes.map(\.kind), is: [.delete])
    },
    "what the layer above cleared is a delete rule's change": { probe in
      let shelf = try probe.add("Shelf")
      let book = try probe.add("Book", ["shelf": .identifier(shelf)])
      let index = ProbeSchema.entity("Book").indexByName["shelf"] ?? 0
      try probe.save(updating: [update(book, ["shelf": .null])], deleting: [shelf]) {
        $0.cleared[book] = [index]
      }
      try expect("the cause", probe.lastChange(of: book)?.cause, is: .deleteRule)
    },
    "a cascaded deletion has the delete rule as its cause": { probe in
      let tags = try probe.add([new("Tag"), new("Tag")])
      try probe.save(deleting: tags) { $0.cascaded = [tags[1]] }
      try expect("the first", probe.lastChange(of: tags[0])?.cause, is: .program)
      try expect("the second", probe.lastChange(of: tags[1])?.cause, is: .deleteRule)
    },
    "a row that the program changes and a deletion clears is reported with both": { probe in
      let shelf = try probe.add("Shelf")
      let book = try probe.add("Book", ["shelf": .identifier(shelf)])
      try probe.save(updating: [update(book, ["pages": .integer(1)])], deleting: [shelf])
      let change = try probe.lastChange(of: book)
      try expect("the properties", Set(change?.properties ?? []), is: ["pages", "shelf"])
      try expect("the cleared ones", change?.clearedProperties, is: ["shelf"])
    },
    "a list that loses a row is a change": { probe in
      let tag = try probe.add("Tag")
      let book = try probe.add("Book", ["sequels": .identifiers([])])
      let other = try probe.add(
        "Book",
        ["tags": .identifiers([tag]), "sequels": .identifiers([book])]
      )
      try probe.save(deleting: [book])
      try expect("the properties", probe.lastChange(of: other)?.properties, is: ["sequels"])
    },
    "a deletion keeps preserved values": { probe in
      let book = try probe.add("Book", ["kept": .string("k")])
      try probe.save(deleting: [book])
      try expect("the value", probe.lastChange(of: book)?.before["kept"], is: .string("k"))
    },
    "a changed list is reported": { probe in
      let tag = try probe.add("Tag")
      let book = try probe.add("Book")
      try probe.save(updating: [update(book, ["tags": .identifiers([tag])])])
      try expect("the properties", probe.lastChange(of: book)?.properties, is: ["tags"])
    },
    "a filter by a date that is no number matches as in Swift": { probe in
      let saves = try save(2, in: probe)
      let date = Date(timeIntervalSinceReferenceDate: .nan)
      let query = StoreHistoryQuery(filter: .timestamp(.notEqual, date))
      try expect("the transactions", numbers(probe, query), is: saves)
    },
    "the result has all rows of a bulk deletion": { probe in
      guard isBulk(probe) else { return }
      let books = try probe.add([new("Book"), new("Novel")])
      let result = try probe.save { $0.bulkChanges = [.delete(StoreQuery(entity: "Book"))] }
      try expect("the rows", Set(result.deleted), is: Set(books))
    },
    "a bulk update to a string in another form is found": { probe in
      guard isBulk(probe) else { return }
      let book = try probe.add("Book")
      try probe.save {
        let value = QueryExpression.constant(.string("e\u{301}"))
        $0.bulkChanges = [.update(StoreQuery(entity: "Book"), [StoreAssignment("note", value)])]
      }
      let query = StoreQuery(entity: "Book", filter: .own("note", .equal, .string("\u{E9}")))
      try expect("the rows", probe.rows(query), is: [book])
    },
    "one state has its own selections": { probe in
      let store = probe.store
      _ = try probe.add("Tag")
      try store.readingOneState {
        _ = try store.count(StoreQuery(entity: "Tag"))
        try onThread { _ = try store.apply(StoreChanges(inserted: [new("Tag")])) }
        let query = StoreQuery(entity: "Tag")
        var counts: [[StoreValue]] = []
        try store.select(StoreSelection(query, groups: [], columns: [.count])) {
          counts.append($0)
        }
        try expect("the number of tags", counts, is: [[.integer(1)]])
      }
    },
  ]

  /// Runs a body on another thread, and waits for it.
  private static func onThread(_ body: @escaping @Sendable () throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var failure: (any Error)?
    let thread = Thread {
      do { try body() } catch { failure = error }
      done.signal()
    }
    thread.start()
    done.wait()
    if let failure { throw failure }
  }
}
