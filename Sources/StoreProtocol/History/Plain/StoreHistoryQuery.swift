import Foundation

/// A query for transactions of a store's history, as a plain value.
public struct StoreHistoryQuery: Hashable, Sendable {
  /// A column by which transactions are ordered.
  public enum Column: Hashable, Sendable {
    /// The number of the save.
    case number
    /// The time of the save.
    case timestamp
  }

  /// One term of an order.
  public struct Term: Hashable, Sendable {
    /// The column to compare.
    public let column: Column
    /// Whether the order is descending.
    public let isReversed: Bool

    /// Creates a term.
    package init(_ column: Column, isReversed: Bool = false) {
      self.column = column
      self.isReversed = isReversed
    }
  }

  /// The filter.
  ///
  /// `nil` matches all transactions.
  public var filter: StoreHistoryFilter?
  /// The order, most important first; ties are in ascending order of number.
  public var order: [Term]
  /// The maximum number of transactions to return, or `nil` for no limit.
  public var limit: Int?

  /// Creates a query.
  package init(
    filter: StoreHistoryFilter? = nil,
    order: [Term] = [],
    limit: Int? = nil
  ) {
    self.filter = filter
    self.order = order
    self.limit = limit
  }
}

/// A condition on the transactions of a store's history.
public indirect enum StoreHistoryFilter: Hashable, Sendable {
  /// A string column of a transaction.
  public enum Text: Hashable, Sendable {
    /// The author of the save.
    case author
    /// The program that saved.
    case bundle
    /// The process that saved.
    case process
  }

  /// Holds always, or never.
  case constant(Bool)
  /// The number of the save satisfies a comparison with another number.
  case number(QueryExpression.Comparison, Int64)
  /// The number of the save is in a set.
  case numbers(Set<Int64>)
  /// The time of the save satisfies a comparison with another date.
  case timestamp(QueryExpression.Comparison, Date)
  /// A string is in a set, where `nil` means that it is absent; strings are equal as in Swift.
  case text(Text, Set<String?>)
  /// A row of one of the entities was changed; entities that inherit from them do not count.
  case changes(entities: Set<String>)
  /// The condition does not hold.
  case not(StoreHistoryFilter)
  /// All of the conditions hold.
  case all([StoreHistoryFilter])
  /// At least one of the conditions holds.
  case any([StoreHistoryFilter])
}
