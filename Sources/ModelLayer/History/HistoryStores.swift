import Foundation
import StoreProtocol

/// The stores of a container, as stores with a history.
struct HistoryStores {
  private let stores: [any RecordStore]

  init(_ stores: ContainerStores) {
    self.stores = stores.all
  }

  /// The stores that keep a history as `HistoryKeeping`.
  var keeping: [any HistoryKeeping] { stores.compactMap { $0 as? any HistoryKeeping } }

  /// Returns these stores, or throws if there are none.
  func requireKeeping() throws -> [any HistoryKeeping] {
    let stores = keeping
    guard !stores.isEmpty else { throw Self.unsupported(DefaultHistoryTransaction.self) }
    return stores
  }

  /// Returns the position behind the last save of each store.
  func currentToken() throws -> DefaultHistoryToken {
    try requireKeeping().reduce(DefaultHistoryToken()) { token, store in
      try token.joined(with: store.currentHistoryToken())
    }
  }

  /// Fetches from all stores whose transactions are of the descriptor's type.
  func fetch<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    var history: JoinedHistory?
    if let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> {
      let (stores, request) = (keeping, HistoryRequest(descriptor, store: ""))
      try request.check(among: stores.map(\.identifier))
      if stores.count > 1 { history = try JoinedHistory(stores, request) }
    }
    var results: [[T]] = []
    for store in stores {
      guard let provider = store as? any HistoryProviding,
        let result = try Self.fetch(descriptor, from: provider)
      else { continue }
      results.append(result)
    }
    guard let first = results.first else { throw Self.unsupported(T.self) }
    guard results.count > 1 else { return first }
    var joined: [T]
    if let history, let results = results as? [[DefaultHistoryTransaction]],
      let typed = try history.joined(results) as? [T]
    {
      joined = typed
    } else {
      joined = JoinedHistory.joined(results)
    }
    if !descriptor.sortBy.isEmpty { joined.sort(using: descriptor.sortBy) }
    guard descriptor.fetchLimit > 0 else { return joined }
    return Array(joined.prefix(Int(clamping: descriptor.fetchLimit)))
  }

  private static func fetch<T: HistoryTransaction, Provider: HistoryProviding>(
    _ descriptor: HistoryDescriptor<T>,
    from provider: Provider
  ) throws -> [T]? {
    guard let typed = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return nil }
    return try provider.fetchHistory(typed) as? [T]
  }

  /// Deletes transactions of all stores whose transactions are of the descriptor's type.
  func delete<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    guard descriptor.fetchLimit == 0 || stores.count == 1 else {
      throw SwiftDataError.invalidTransactionFetchRequest.with(
        "a fetch limit cannot restrict a deletion from the history of several stores; fetch the "
          + "transactions first, and delete them by their numbers"
      )
    }
    var isSupported = false
    for store in stores {
      guard let provider = store as? any HistoryProviding else { continue }
      if try Self.delete(descriptor, from: provider) { isSupported = true }
    }
    guard isSupported else { throw Self.unsupported(T.self) }
  }

  private static func delete<T: HistoryTransaction, Provider: HistoryProviding>(
    _ descriptor: HistoryDescriptor<T>,
    from provider: Provider
  ) throws -> Bool {
    guard let typed = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return false }
    try provider.deleteHistory(typed)
    return true
  }

  static func unsupported(_ type: Any.Type) -> DataStoreError {
    DataStoreError(
      .unsupportedFeature,
      "no store of the container keeps a history of \(type); use a store that supports history"
    )
  }
}
