import Foundation
import OpenSwiftData
import Testing

/// A file of a few bytes can state that a save changed thousands of millions of rows.
@Suite("A history with a range of two thousand million keys")
struct StatedRangeTests {
  /// A store whose only transaction has inserted 2^31 tags.
  private func library(_ kind: String) async throws -> Library {
    let library = try Library(kind)
    #expect(await Run.storectl("compact", library.url).code == 0)
    try library.replaceHistory(by: "[{\"insert\":\"Tag\",\"keys\":[[1,2147483648]]}]")
    return library
  }

  @Test(arguments: ["sqlite", "json"])
  func `is refused where rows are examined one by one`(kind: String) async throws {
    let library = try await library(kind)
    defer { withExtendedLifetime(library) {} }
    let container = try Library.container(library.url)
    let context = ModelContext(container)
    let saves = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let save = try #require(saves.first)
    let start = DefaultHistoryToken(tokenValue: [save.storeIdentifier: 0])
    let difference = #expect(throws: DataStoreError.unsupportedFeature) {
      try context.diff(from: start)
    }
    let reversal = #expect(throws: DataStoreError.unsupportedFeature) { try context.revert(save) }
    for error in [difference, reversal] {
      let message = error?.message ?? ""
      #expect(message.contains("transaction 1 of the store \(save.storeIdentifier)"))
      #expect(message.contains("2147483648"), "\(message)")
    }
    #expect(!context.hasChanges)
  }

  @Test(arguments: ["sqlite", "json"])
  func `is observed without creating its changes`(kind: String) async throws {
    let library = try await library(kind)
    defer { withExtendedLifetime(library) {} }
    let container = try Library.container(library.url)
    let saves = try ModelContext(container).fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>()
    )
    let name = try #require(saves.first?.storeIdentifier)
    let start = [name: DefaultHistoryToken(tokenValue: [name: 0])]
    for (model, count) in [(Tag.self, 1), (Author.self, 0)]
      as [(any PersistentModel.Type, Int)]
    {
      let observer = try HistoryObserver(
        historyTokens: start,
        observedModels: [model],
        modelContainer: container
      )
      #expect(observer.eventCounter == count)
    }
  }
}
