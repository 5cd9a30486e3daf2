import Foundation

/// Which transactions of a store's history are asked for, as a plain value.
public struct StoreHistoryQuery: Hashable, Sendable {
  /// What transactions are ordered by.
  public enum Column: Hashable, Sendable {
    /// The number of the save.
    case number
    /// The time of the save.
    case timestamp
  }

  /// One step of an order.
  public struct Term: Hashable, Sendable {
    /// What decides.
    public let column: Column
    /// Whether the greatest comes first.
    public let isReversed: Bool

    /// Creates a term.
    public init(_ column: Column, isReversed: Bool = false) {
      self.column = column
      self.isReversed = isReversed
    }
  }

  /// What must hold for a transaction, nil for all.
  public var filter: StoreHistoryFilter?
  /// The order, most important first; what it leaves open is decided by rising numbers.
  public var order: [Term]
  /// How many transactions to give at the most, nil for all.
  public var limit: Int?

  /// Creates a query.
  public init(
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
  /// A comparison of two values that have an order.
  public enum Comparison: Hashable, Sendable {
    /// The same.
    case equal
    /// Another.
    case notEqual
    /// Smaller, or earlier.
    case less
    /// Smaller, earlier, or the same.
    case lessOrEqual
    /// Greater, or later.
    case greater
    /// Greater, later, or the same.
    case greaterOrEqual
  }

  /// A text of a transaction.
  public enum Text: Hashable, Sendable {
    /// Who saved.
    case author
    /// The program that saved.
    case bundle
    /// The process that saved.
    case process
  }

  /// Holds always, or never.
  case constant(Bool)
  /// The number of the save compares so with another.
  case number(Comparison, Int64)
  /// The number of the save is one of some.
  case numbers(Set<Int64>)
  /// The time of the save compares so with another.
  case timestamp(Comparison, Date)
  /// A text is one of some, nil for none; texts are equal as in Swift.
  case text(Text, Set<String?>)
  /// A row of one of some entities was changed; those that inherit from them are others.
  case changes(entities: Set<String>)
  /// A condition does not hold.
  case not(StoreHistoryFilter)
  /// All of some conditions hold.
  case all([StoreHistoryFilter])
  /// One of some conditions holds.
  case any([StoreHistoryFilter])
}
