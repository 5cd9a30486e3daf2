import Foundation
import StoreProtocol

/// A store with a history in the form of this package's stores.
struct HistoryStore {
  /// The store's name in identifiers.
  let identifier: String
  private let fetch:
    (HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction]

  /// Finds the history of a store, or returns `nil` if it keeps none, or one of another kind.
  init?(_ store: any RecordStore) {
    if case .unsupported = store.capabilities.history { return nil }
    guard let history = store as? any HistoryProviding,
      let fetch = Self.fetching(from: history)
    else { return nil }
    identifier = store.identifier
    self.fetch = fetch
  }

  private static func fetching<Store: HistoryProviding>(
    from store: Store
  ) -> ((HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction])? {
    guard Store.HistoryType.self == DefaultHistoryTransaction.self else { return nil }
    return { descriptor in
      guard let descriptor = descriptor as? HistoryDescriptor<Store.HistoryType> else { return [] }
      return try store.fetchHistory(descriptor) as? [DefaultHistoryTransaction] ?? []
    }
  }

  /// Returns the position behind the last transaction.
  func end() throws -> DefaultHistoryToken {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    )
    descriptor.fetchLimit = 1
    return try fetch(descriptor).first?.token ?? DefaultHistoryToken(identifier, 0)
  }

  /// Returns the transactions behind a position, the oldest first.
  func transactions(after position: DefaultHistoryToken) throws -> [DefaultHistoryTransaction] {
    try fetch(HistoryDescriptor(predicate: #Predicate { $0.token > position }))
  }

  /// Returns the transactions of some saves, the oldest first.
  func transactions(in saves: ClosedRange<Int64>) throws -> [DefaultHistoryTransaction] {
    let (first, last) = (saves.lowerBound, saves.upperBound)
    return try fetch(
      HistoryDescriptor(
        predicate: #Predicate {
          $0.transactionIdentifier >= first && $0.transactionIdentifier <= last
        }
      )
    )
  }
}
