import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

@Suite("A history observer", .timeLimit(.minutes(30)))
struct HistoryObserverTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Schema([Trip.self, Stop.self, Invoice.self]),
      configurations: [RememberingStoreConfiguration()]
    )
  }

  private func save(by author: String? = nil, _ model: any PersistentModel) throws {
    let context = ModelContext(container, isolation: nil)
    context.author = author
    context.insert(model)
    try context.save()
  }

  @Test func `counts saves after its creation`() throws {
    try save(Trip("before"))
    let observer = try HistoryObserver(modelContainer: container)
    #expect(observer.eventCounter == 0)
    try save(Trip("a"))
    #expect(observer.eventCounter == 1)
    try save(Invoice(1))
    try save(Invoice(2))
    #expect(observer.eventCounter == 2)
    #expect(observer.eventCounter == 2)
  }

  @Test func `counts saves after a token`() throws {
    let first = try HistoryObserver(modelContainer: container)
    let tokens = first.historyTokens
    try save(Trip("a"))
    let observer = try HistoryObserver(historyTokens: tokens, modelContainer: container)
    #expect(observer.eventCounter == 1)
    let id = try #require(observer.historyTokens.keys.first)
    let token = try #require(observer.historyTokens[id] as? DefaultHistoryToken)
    #expect(token.tokenValue == [id: 1])
  }

  @Test func `counts only saves of given models and authors`() throws {
    let trips = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
    let widget = try HistoryObserver(authors: ["widget"], modelContainer: container)
    try save(Invoice(1))
    #expect(trips.eventCounter == 0 && widget.eventCounter == 0)
    try save(Trip("a"))
    #expect(trips.eventCounter == 1 && widget.eventCounter == 0)
    try save(by: "widget", Invoice(2))
    #expect(trips.eventCounter == 1 && widget.eventCounter == 1)
    #expect(trips.observedModels.count == 1)
    #expect(widget.authors == ["widget"])
  }

  @Test func `counts deleted history as a save, and reports an error until the next`() throws {
    let observer = try HistoryObserver(modelContainer: container)
    try save(Trip("a"))
    let store = try #require(container.stores.first as? RememberingStore)
    try store.deleteHistory(HistoryDescriptor())
    #expect(observer.fetchError as? SwiftDataError == .historyTokenExpired)
    #expect(observer.eventCounter == 1)
    try save(Trip("b"))
    #expect(observer.eventCounter == 2)
    #expect(observer.fetchError == nil)
  }

  @Test func `is refused for a container without history`() throws {
    let plain = try ModelContainer(
      for: Schema([Trip.self, Stop.self, Invoice.self]),
      configurations: [RecordingStoreConfiguration(script: RecordingScript())]
    )
    #expect(throws: DataStoreError.unsupportedFeature) {
      _ = try HistoryObserver(modelContainer: plain)
    }
  }

  @Test func `streams each transaction once, and missed transactions together`() async throws {
    let begin = try HistoryObserver(modelContainer: container).historyTokens
    var transactions = container.transactions(after: begin, of: Trip.self).makeAsyncIterator()
    try save(by: "me", Trip("a"))
    let first = try await transactions.next()
    #expect(first?.map(\.author) == ["me"])
    try save(Trip("b"))
    try save(Invoice(1))
    try save(Trip("c"))
    #expect(try await transactions.next()?.map(\.transactionIdentifier) == [2, 4])
  }

  @MainActor
  @Test func `updates on the main actor at its next turn`() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    try await untilChange(of: { _ = observer.eventCounter }) { try save(Trip("a")) }
    #expect(observer.eventCounter == 1)
  }

  @Test func `reads the changes of other writers' saves from the history`() throws {
    try save(Trip("a"))
    let store = try #require(container.core.stores.all.first)
    let changes = try #require(SavedChanges(1...1, of: store))
    #expect(changes.byRoot.keys.sorted() == ["Trip"])
    #expect(changes.byRoot["Trip"]?.inserted.count == 1)
    #expect(SavedChanges(1...2, of: store) == nil)
  }
}
