import Foundation

/// Describes which transactions to fetch or to delete.
public struct HistoryDescriptor<TransactionType> where TransactionType: HistoryTransaction {
  /// The predicate.
  ///
  /// `nil` matches all transactions.
  public var predicate: Predicate<TransactionType>?
  /// The maximum number of transactions to return, or 0 for no limit.
  public var fetchLimit: UInt64 = 0
  /// The sort descriptors, most important first.
  ///
  /// If empty, the oldest transaction comes first.
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
