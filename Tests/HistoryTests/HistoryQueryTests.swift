import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `Queries of the history` {
  private let fixtures = HistoryFixtures()

  /// Creates a store with five saves by two authors.
  private func sample(_ kind: EveryStore) throws -> ModelContext {
    let context = try fixtures.context(kind)
    context.author = "ada"
    let trip = try context.saved(Journey("one"))
    try context.saved(Badge("1", "x"))
    context.author = "bob"
    trip.days = 9
    try context.save()
    try context.saved(Stop("stop"))
    context.author = nil
    context.delete(trip)
    try context.save()
    return context
  }

  private func indexes(
    _ context: ModelContext,
    _ predicate: Predicate<DefaultHistoryTransaction>
  ) throws -> [Int] {
    let all = try context.history().map(\.transactionIdentifier)
    return try context.history(predicate).compactMap { found in
      all.firstIndex(of: found.transactionIdentifier)
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `filter by tokens, numbers, times and authors`(kind: EveryStore) throws {
    let context = try sample(kind)
    let all = try context.history()
    #expect(all.count == 5)
    let (token, number, time) = (all[1].token, all[2].transactionIdentifier, all[3].timestamp)
    #expect(try indexes(context, #Predicate { $0.token > token }) == [2, 3, 4])
    #expect(try indexes(context, #Predicate { $0.token <= token }) == [0, 1])
    #expect(try indexes(context, #Predicate { $0.token == token }) == [1])
    #expect(try indexes(context, #Predicate { $0.transactionIdentifier >= number }) == [2, 3, 4])
    #expect(try indexes(context, #Predicate { $0.timestamp <= time }).contains(3))
    #expect(try indexes(context, #Predicate { $0.author == "ada" }) == [0, 1])
    #expect(try indexes(context, #Predicate { $0.author != "ada" }) == [2, 3, 4])
    #expect(try indexes(context, #Predicate { $0.author == nil }) == [4])
    let both = #Predicate<DefaultHistoryTransaction> { $0.token > token && $0.author == "bob" }
    #expect(try indexes(context, both) == [2, 3])
    let either = #Predicate<DefaultHistoryTransaction> {
      $0.author == "ada" || !($0.token <= token)
    }
    #expect(try indexes(context, either) == [0, 1, 2, 3, 4])
  }

  @Test(arguments: EveryStore.allCases)
  func `filter by entities and identifiers of changes`(kind: EveryStore) throws {
    let context = try sample(kind)
    let names = ["Journey"]
    let journeys = #Predicate<DefaultHistoryTransaction> {
      $0.changes.contains { names.contains($0.changedPersistentIdentifier.entityName) }
    }
    #expect(try indexes(context, journeys) == [0, 2, 4])
    let badges = #Predicate<DefaultHistoryTransaction> {
      $0.changes.contains { $0.changedPersistentIdentifier.entityName == "Badge" }
    }
    #expect(try indexes(context, badges) == [1])
    let id = try #require(context.history().first?.changes.first?.changedPersistentIdentifier)
    let one = #Predicate<DefaultHistoryTransaction> {
      $0.changes.contains { $0.changedPersistentIdentifier == id } && $0.author != nil
    }
    #expect(try indexes(context, one) == [0, 2])
    let few = #Predicate<DefaultHistoryTransaction> { $0.changes.count > 5 }
    #expect(try indexes(context, few).isEmpty)
  }

  @Test(arguments: EveryStore.allCases)
  func `sort and limit transactions`(kind: EveryStore) throws {
    let context = try sample(kind)
    let all = try context.history()
    var newest = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    )
    newest.fetchLimit = 1
    #expect(try context.fetchHistory(newest).map(\.token) == [try context.currentHistoryToken()])
    newest.fetchLimit = 0
    #expect(try context.fetchHistory(newest) == all.reversed())
    var first = HistoryDescriptor<DefaultHistoryTransaction>()
    first.fetchLimit = 2
    #expect(try context.fetchHistory(first) == Array(all.prefix(2)))
  }

  @Test(arguments: EveryStore.allCases)
  func `do not return deleted transactions, whose tokens have expired`(kind: EveryStore) throws {
    let context = try sample(kind)
    let all = try context.history()
    let (first, second) = (all[0].token, all[1].token)
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= second })
    )
    #expect(try context.history() == Array(all.dropFirst(2)))
    #expect(try context.history(#Predicate { $0.token > second }) == Array(all.dropFirst(2)))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > first })
    }
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try context.history().isEmpty)
    let now = try context.currentHistoryToken()
    #expect(try context.history(#Predicate { $0.token > now }).isEmpty)
  }

  @Test(arguments: EveryStore.allCases)
  func `refuse a token that is ahead of the store`(kind: EveryStore) throws {
    let context = try sample(kind)
    let store = try #require(context.history().first?.storeIdentifier)
    let later = DefaultHistoryToken(tokenValue: [store: 1_000])
    #expect(throws: SwiftDataError.historyTokenDiverged) {
      try context.history(#Predicate { $0.token > later })
    }
  }

  @Test func `return one history of several stores, with tokens of all`() throws {
    let container = try ModelContainer(
      for: Schema([Badge.self, Vehicle.self]),
      configurations: [
        MemoryStoreConfiguration("a", schema: Schema([Badge.self])),
        MemoryStoreConfiguration("b", schema: Schema([Vehicle.self])),
      ]
    )
    let context = ModelContext(container)
    try context.saved(Badge("1", "x"))
    try context.saved(Vehicle("A"))
    let token = try context.currentHistoryToken()
    #expect(token.tokenValue?.count == 2)
    try context.saved(Badge("2", "x"))
    try context.saved(Vehicle("B"))
    let all = try context.history()
    #expect(all.count == 4)
    #expect(Set(all.map(\.storeIdentifier)).count == 2)
    let later = try context.history(#Predicate { $0.token > token })
    #expect(later == Array(all.suffix(2)))
    for (index, transaction) in all.enumerated() {
      let last = transaction.token
      #expect(
        try context.history(#Predicate { $0.token > last }) == Array(all.dropFirst(index + 1))
      )
    }
  }
}
