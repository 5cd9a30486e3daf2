import Foundation
import StoreProtocol

/// The histories of several stores as one.
struct JoinedHistory {
  private struct Part {
    let store: any HistoryKeeping
    let bounds: HistoryBounds
    /// The number after which the request selects transactions, or 0.
    let start: Int64
  }

  private let parts: [Part]

  /// Creates the history of some stores, before transactions are fetched from them.
  ///
  /// A token must not cover what others save after the fetch.
  init(_ stores: [any HistoryKeeping], _ request: HistoryRequest) throws {
    parts = try stores.map { store in
      Part(
        store: store,
        bounds: try store.historyBounds(),
        start: request.start(in: store.identifier)
      )
    }
  }

  /// Merges results by time; the transactions of each store keep their order, whatever its clock
  /// was.
  static func joined<T: HistoryTransaction>(_ histories: [[T]]) -> [T] {
    var remaining = histories.map { ArraySlice($0) }
    var joined: [T] = []
    while let next = remaining.indices.filter({ !remaining[$0].isEmpty }).min(by: {
      guard let first = remaining[$0].first, let second = remaining[$1].first else { return false }
      return first.timestamp < second.timestamp
    }) {
      joined.append(remaining[next].removeFirst())
    }
    return joined
  }

  /// Merges results, and gives each transaction a token with the position of all stores after it.
  ///
  /// The positions never move back along the result, nor before the request's own. Therefore a
  /// reader that continues from any of them gets no transaction again that preceded it, whatever
  /// the clocks of the stores were, and misses none.
  func joined(_ histories: [[DefaultHistoryTransaction]]) throws -> [DefaultHistoryTransaction] {
    let ascending = histories.map { history in
      history.sorted { $0.transactionIdentifier < $1.transactionIdentifier }
    }
    let transactions = Self.joined(ascending)
    guard let oldest = transactions.map(\.timestamp).min() else { return [] }
    let first = Dictionary(
      ascending.compactMap(\.first).map { ($0.storeIdentifier, $0.transactionIdentifier) },
      uniquingKeysWith: min
    )
    var positions = try positions(at: oldest, before: first)
    return transactions.map { transaction in
      positions = positions.joined(with: transaction.token)
      return transaction.with(positions)
    }
  }

  /// Returns the number of each store's last transaction before the first that was saved at or
  /// after a time, or that is in the result.
  private func positions(
    at time: Date,
    before first: [String: Int64]
  ) throws -> DefaultHistoryToken {
    var positions = DefaultHistoryToken()
    for part in parts {
      let (store, bounds) = (part.store, part.bounds)
      let later = try store.transactions(
        StoreHistoryQuery(filter: .timestamp(.greaterOrEqual, time), limit: 1)
      )
      let earlier = later.first.map { min($0.number - 1, bounds.last) } ?? bounds.last
      let limit = first[store.identifier].map { $0 - 1 } ?? .max
      let number = max(bounds.cut, min(max(part.start, earlier), limit))
      let save = try store.saveIdentifier(at: number)
      positions = positions.joined(with: DefaultHistoryToken(store.identifier, number, save: save))
    }
    return positions
  }
}
