import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `Named readers of the history` {
  private let fixtures = HistoryFixtures()

  private func names(_ transactions: [DefaultHistoryTransaction]) -> [Int64] {
    transactions.map(\.transactionIdentifier)
  }

  @Test(arguments: EveryStore.allCases)
  func `a reader reads each save once, also after reopening`(kind: EveryStore) throws {
    let fixture = try HistoryFixture(kind)
    var container = try fixture.open()
    var reader = container.historyReader("search-index")
    #expect(try reader.position() == nil)
    #expect(try container.historyReaders().isEmpty)
    for number in 1...3 { try ModelContext(container).saved(Journey("\(number)")) }
    let all = try reader.read()
    #expect(all.count == 3)
    #expect(try names(reader.read(limit: 2)) == Array(names(all).prefix(2)))
    try reader.advance(to: all[1].token)
    #expect(try names(reader.read()) == [all[2].transactionIdentifier])
    #expect(try container.historyReaders().map(\.name) == ["search-index"])
    if kind.persists {
      let store = try #require(container.stores.first as? any MaintainableStore)
      try store.compact()
      try container.close()
      container = try fixture.open()
      reader = container.historyReader("search-index")
    }
    #expect(try reader.position() == all[1].token)
    #expect(try reader.position()?.saveIdentifiers == all[1].token.saveIdentifiers)
    #expect(try names(reader.read()) == [all[2].transactionIdentifier])
    try reader.remove()
    #expect(try container.historyReaders().isEmpty)
    #expect(try reader.position() == nil)
    #expect(try reader.read().count == 3)
    try reader.remove()
    if let store = container.stores.first as? any MaintainableStore {
      #expect(try store.verify() == [])
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `retention keeps what a reader has not read`(kind: EveryStore) throws {
    let context = try fixtures.context(kind, "keep=20")
    let trip = try context.saved(Journey("0"))
    let reader = context.container.historyReader("outbox")
    try reader.advance(to: try context.currentHistoryToken())
    for days in 1...80 {
      trip.days = days
      try context.save()
    }
    #expect(try reader.read().count == 80)
    // The slowest reader determines what is kept.
    let other = context.container.historyReader("audit")
    try other.advance(to: try context.currentHistoryToken())
    trip.days = 100
    try context.save()
    #expect(try reader.read().count == 81)
    // Without the slow reader, transactions that all have read are removed again.
    try reader.remove()
    try other.advance(to: try context.currentHistoryToken())
    for days in 1...60 {
      trip.days = days
      try context.save()
    }
    try other.advance(to: try context.currentHistoryToken())
    for days in 1...40 {
      trip.days = days + 100
      try context.save()
    }
    #expect(try context.history().count < 90)
    #expect(try other.read().count == 40)
  }

  // A clock can be wrong, so that nothing unread is too old.
  @Test(arguments: EveryStore.allCases)
  func `a clock years ahead deletes nothing that a reader has not read`(kind: EveryStore) throws {
    let context = try fixtures.context(kind, "keep=20")
    let trip = try context.saved(Journey("0"))
    let reader = context.container.historyReader("outbox")
    try reader.advance(to: try context.currentHistoryToken())
    for days in 1...3 {
      trip.days = days
      try context.save()
    }
    let later = StoreEnvironment(now: { Date(timeIntervalSinceNow: 4_000 * 86_400) })
    try StoreEnvironment.$current.withValue(later) {
      for days in 1...60 {
        trip.days = days
        try context.save()
      }
    }
    #expect(try reader.read().count == 63)
    let now = try context.currentHistoryToken()
    try reader.advance(to: now)
    #expect(try reader.read().isEmpty)
    for days in 1...40 {
      trip.days = days
      try context.save()
    }
    try reader.advance(to: try context.currentHistoryToken())
    for days in 1...40 {
      trip.days = days
      try context.save()
    }
    #expect(try context.history().count < 70)
  }

  // The first store saves at every other time.
  @Test(arguments: [[1_000, 10, 11, 12, 13, 14], [10, 10, 10, 10, 10, 10], [9, 8, 7, 6, 5, 4]])
  func `each save of two stores is read once, whatever their clocks were`(
    times: [TimeInterval]
  ) throws {
    let container = try ModelContainer(
      for: Schema([Badge.self, Vehicle.self]),
      configurations: [
        MemoryStoreConfiguration("a", schema: Schema([Badge.self])),
        MemoryStoreConfiguration("b", schema: Schema([Vehicle.self])),
      ]
    )
    let context = ModelContext(container)
    func save(at times: [TimeInterval]) throws {
      for (index, time) in times.enumerated() {
        let clock = StoreEnvironment(now: { Date(timeIntervalSinceReferenceDate: time) })
        try StoreEnvironment.$current.withValue(clock) {
          if index.isMultiple(of: 2) {
            try context.saved(Badge("\(UUID())", "x"))
          } else {
            try context.saved(Vehicle("y"))
          }
        }
      }
    }
    let reader = container.historyReader("index")
    var read: [UUID] = []
    func readAll(_ limit: Int?) throws {
      while read.count < 20, let last = try reader.read(limit: limit).first {
        read.append(last.saveIdentifier)
        try reader.advance(to: last.token)
      }
    }
    try save(at: times)
    let all = try context.history()
    for (index, transaction) in all.enumerated() {
      let last = transaction.token
      let rest = try context.history(#Predicate { $0.token > last })
      #expect(rest.map(\.saveIdentifier) == all.dropFirst(index + 1).map(\.saveIdentifier))
    }
    try readAll(1)
    #expect(read == all.map(\.saveIdentifier))
    try save(at: [15, 16, 17])
    try readAll(nil)
    #expect(try Set(read) == Set(context.history().map(\.saveIdentifier)))
    #expect(read.count == times.count + 3)
  }

  @Test(arguments: EveryStore.allCases)
  func `a position that a save advances is stored only with that save`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    try context.saved(Badge("a", "Ada"))
    let reader = context.container.historyReader("index")
    let first = try #require(reader.read().last?.token)
    try reader.advance(to: first, in: context)
    #expect(try reader.position() == nil)
    context.rollback()
    try context.saved(Badge("b", "Bob"))
    #expect(try reader.position() == nil)
    // With another change.
    try reader.advance(to: first, in: context)
    try context.saved(Badge("c", "Cid"))
    #expect(try reader.position() == first)
    // Without another change.
    let last = try context.currentHistoryToken()
    try reader.advance(to: last, in: context)
    try context.save()
    #expect(try reader.position() == last)
    #expect(try reader.read().isEmpty)
    #expect(try context.history().count == 3)
  }

  @Test(arguments: EveryStore.allCases)
  func `a position outside the store's history is refused`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    try context.saved(Badge("a", "Ada"))
    let reader = context.container.historyReader("index")
    let token = try context.currentHistoryToken()
    let store = try #require(token.tokenValue?.keys.first)
    let ahead = DefaultHistoryToken(tokenValue: [store: 1_000])
    #expect(throws: SwiftDataError.historyTokenDiverged) { try reader.advance(to: ahead) }
    let foreign = DefaultHistoryToken(
      tokenValue: token.tokenValue,
      saveIdentifiers: [store: UUID()]
    )
    #expect(throws: SwiftDataError.historyTokenDiverged) {
      try reader.advance(to: foreign, in: context)
    }
    #expect(try reader.position() == nil)
    let others = try fixtures.context(kind)
    #expect(throws: SwiftDataError.missingModelContext) {
      try reader.advance(to: token, in: others)
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `a store without history refuses readers`(kind: EveryStore) throws {
    let context = try fixtures.context(kind, "history=off")
    let store = try #require(context.container.stores.first as? any RecordStore)
    var changes = StoreChanges()
    changes.readers = [
      HistoryReaderPosition(name: "index", number: 0, save: nil, timestamp: .now)
    ]
    #expect(throws: DataStoreError.unsupportedFeature) { try store.apply(changes) }
  }
}
