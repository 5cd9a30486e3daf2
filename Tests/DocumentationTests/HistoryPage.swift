import Foundation
import OpenSwiftData
import Testing

/// The code of the pages about history.
@Suite struct `History in the guides` {
  @Test func `returns the changes of other authors`() throws {
    let container = try SampleTrips.container()
    let context = ModelContext(container)
    let last = try context.currentHistoryToken()
    try Self.change(container, author: "widget")
    try Self.change(container, author: "app")
    let lines = try Self.read(context, last)
    #expect(lines.count == 1 && lines[0].hasSuffix(" Alps"))
  }

  static func change(_ container: ModelContainer, author: String) throws {
    // snippet.history-author
    let context = ModelContext(container)
    context.author = author
    // snippet.end
    for trip in try context.fetch(FetchDescriptor<Trip>()) where trip.price == nil {
      trip.price = author == "app" ? 0 : nil
    }
    try context.save()
  }

  static func read(_ context: ModelContext, _ last: DefaultHistoryToken) throws -> [String] {
    let print = Printed()
    // snippet.history-read
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.token > last && $0.author != "widget" }
    )
    for transaction in try context.fetchHistory(descriptor) {
      for case .update(let update as DefaultHistoryUpdate<Trip>) in transaction.changes
      where update.changes(\.price) {
        let trip = context.model(for: update.changedPersistentIdentifier) as? Trip
        print(transaction.timestamp, trip?.name ?? "gone")
      }
    }
    let next = try context.currentHistoryToken()
    // snippet.end
    #expect(next > last)
    return print.lines
  }

  @Test func `is deleted up to a token`() throws {
    let container = try SampleTrips.container()
    let context = ModelContext(container)
    // snippet.history-delete
    let last = try context.currentHistoryToken()
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= last })
    )
    // snippet.end
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
  }

  @Test func `returns past rows and differences, and reverts a transaction`() throws {
    let container = try ModelContainer(for: Trip.self, store: "memory:?history=values")
    try SampleTrips.fill(container)
    let context = ModelContext(container)
    let token = try context.currentHistoryToken()
    try context.delete(model: Trip.self)
    try context.save()
    #expect(try Self.goBack(container, context, token) == 2)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  static func goBack(
    _ container: ModelContainer,
    _ context: ModelContext,
    _ token: DefaultHistoryToken
  ) throws -> Int {
    // snippet.history-past
    let past = ModelContext(try container.asOf(token))
    let before = try past.fetch(FetchDescriptor<Trip>())

    for change in try context.diff(from: token) { print(change.kind, change.identifier) }

    let newest = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    )
    if let transaction = try context.fetchHistory(newest).first {
      try context.revert(transaction)
      try context.save()
    }
    // snippet.end
    return before.count
  }
}
