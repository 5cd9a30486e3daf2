import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `Retention of history` {
  private let fixtures = HistoryFixtures()

  private func transactions(_ context: ModelContext) throws -> [StoreTransaction] {
    let store = try #require(context.container.stores.first as? any HistoryKeeping)
    return try store.transactions(StoreHistoryQuery())
  }

  @Test(arguments: EveryStore.allCases)
  func `history=values stores the values before and after each change`(kind: EveryStore) throws {
    let context = try fixtures.context(kind, "history=values")
    let trip = try context.saved(Journey("Paris", days: 2))
    let stop = try context.saved(Stop("Louvre", in: trip))
    trip.days = 5
    try context.save()
    stop.journey = nil
    context.delete(trip)
    try context.save()
    let changes = try transactions(context).map(\.changes)
    #expect(changes[0][0].after["days"] == .integer(2))
    #expect(changes[0][0].after["name"] == .string("Paris"))
    #expect(changes[1][0].after["journey"] == .identifier(trip.persistentModelID))
    #expect(changes[2][0].before == ["days": .integer(2)])
    #expect(changes[2][0].after == ["days": .integer(5)])
    let update = try #require(changes[3].first { $0.kind == .update })
    #expect(update.before == ["journey": .identifier(changes[0][0].identifier)])
    #expect(update.after == ["journey": .null])
    let gone = try #require(changes[3].first { $0.kind == .delete })
    #expect(gone.before["days"] == .integer(5))
    #expect(gone.before["name"] == .string("Paris"))
  }

  @Test(arguments: EveryStore.allCases)
  func `many insertions are stored as one transaction`(kind: EveryStore) throws {
    let context = try fixtures.context(kind, "keep=forever")
    for number in 0..<2_000 { context.insert(Journey("\(number)")) }
    try context.save()
    let found = try transactions(context)
    #expect(found.map(\.changes.count) == [2_000])
    #expect(Set(found[0].changes.map(\.kind)) == [.insert])
  }

  @Test(arguments: EveryStore.allCases)
  func `the oldest transactions are removed above the maximum number`(kind: EveryStore) throws {
    let context = try fixtures.context(kind, "keep=40")
    let first = try context.saved(Journey("0"))
    let token = try context.currentHistoryToken()
    for days in 0..<100 {
      first.days = days + 10
      try context.save()
    }
    let count = try context.history().count
    #expect((40...60).contains(count))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > token })
    }
    let last = try #require(context.history().first?.token)
    #expect(try context.history(#Predicate { $0.token > last }).count == count - 1)
  }

  @Test(arguments: EveryStore.allCases)
  func `the oldest transactions are removed above the maximum size`(kind: EveryStore) throws {
    let fixture = try fixtures.context(kind, "keep=1m&history=values")
    let trip = try fixture.saved(Journey(""))
    for number in 0..<40 {
      trip.name = String(repeating: "\(number % 10)", count: 40_000)
      try fixture.save()
    }
    #expect(try fixture.history().count < 35)
    #expect(try fixture.history().count > 5)
  }

  @Test(arguments: EveryStore.allCases.filter(\.persists))
  func `after a save without history, earlier tokens have expired`(kind: EveryStore) throws {
    let fixture = try HistoryFixture(kind)
    let token: DefaultHistoryToken = try {
      let context = try fixture.context()
      try context.saved(Journey("a"))
      return try context.currentHistoryToken()
    }()
    try {
      let context = try fixture.context("history=off")
      #expect(context.container.capabilities(for: Journey.self)?.history.isSupported == false)
      try context.saved(Journey("b"))
      #expect(try context.history().isEmpty)
    }()
    let context = try fixture.context()
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > token })
    }
    let now = try context.currentHistoryToken()
    try context.saved(Journey("c"))
    #expect(try context.story(after: now).count == 1)
  }

  @Test func `invalid options are refused`() {
    for option in [
      "history=maybe", "keep=", "keep=5x", "keep=-1", "keep=0d", "keep=99999999999999999999d",
    ] {
      #expect(throws: DataStoreError.invalidConfiguration) {
        _ = try ModelContainer(for: Journey.self, Stop.self, store: "memory:?\(option)")
      }
    }
  }
}
