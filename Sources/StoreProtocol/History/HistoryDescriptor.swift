import Foundation

/// Which transactions to fetch or to delete.
public struct HistoryDescriptor<TransactionType> where TransactionType: HistoryTransaction {
  /// What must hold for a transaction, nil for all.
  public var predicate: Predicate<TransactionType>?
  /// How many transactions to give at the most, 0 for all.
  public var fetchLimit: UInt64 = 0
  /// The order, most important first; the oldest comes first where it is empty.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// Creates a descriptor.
  public init(
    predicate: Predicate<TransactionType>? = nil,
    sortBy: [SortDescriptor<TransactionType>] = []
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

extension HistoryDescriptor: Sendable {}
