import Foundation
import StoreProtocol

/// The histories of several stores as one.
struct JoinedHistory {
  private let stores: [any HistoryKeeping]

  init(_ stores: [any HistoryKeeping]) {
    self.stores = stores
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

  /// Gives each transaction a token with the position of all stores after it.
  ///
  /// In stores other than the transaction's own, the position is before the first transaction that
  /// was saved later.
  func withTokens(
    _ transactions: [DefaultHistoryTransaction]
  ) throws -> [DefaultHistoryTransaction] {
    let oldest = transactions.min { $0.timestamp < $1.timestamp }
    guard let oldest else { return [] }
    let isRising = zip(transactions, transactions.dropFirst()).allSatisfy {
      $0.timestamp <= $1.timestamp
    }
    var positions = try positions(at: oldest.timestamp)
    return try transactions.map { transaction in
      if !isRising { positions = try self.positions(at: transaction.timestamp) }
      positions = positions.joined(with: transaction.token)
      return transaction.with(positions)
    }
  }

  /// Returns the number of each store's last transaction before the first that was saved at or
  /// after a time.
  ///
  /// A reader that continues from there may see a transaction twice, and misses none.
  private func positions(at time: Date) throws -> DefaultHistoryToken {
    var positions = DefaultHistoryToken()
    for store in stores {
      let later = try store.transactions(
        StoreHistoryQuery(filter: .timestamp(.greaterOrEqual, time), limit: 1)
      )
      let bounds = try store.historyBounds()
      let number = max(bounds.cut, later.first.map { $0.number - 1 } ?? bounds.last)
      let save = try store.saveIdentifier(at: number)
      positions = positions.joined(with: DefaultHistoryToken(store.identifier, number, save: save))
    }
    return positions
  }
}
