import Foundation

/// A transaction in the form in which a store keeps it, with the values that filters compare.
public protocol HistoryColumns {
  /// The number of the save.
  var number: Int64 { get }
  /// The time of the save.
  var timestamp: Date { get }
  /// Returns the author, the bundle, or the process.
  func text(_ text: StoreHistoryFilter.Text) -> String?
  /// Returns whether rows of any of the given entities changed.
  func changes(anyOf entities: Set<String>) -> Bool
}

extension StoreTransaction: HistoryColumns {
  /// Returns the author, the bundle, or the process.
  public func text(_ text: StoreHistoryFilter.Text) -> String? {
    switch text {
    case .author: author
    case .bundle: bundleIdentifier
    case .process: processIdentifier
    }
  }

  /// Returns whether rows of any of the given entities changed.
  public func changes(anyOf entities: Set<String>) -> Bool {
    changes.concern(anyOf: entities)
  }
}

extension StoreHistoryFilter {
  /// Returns whether the condition holds for a transaction in any form.
  package func matches(_ transaction: some HistoryColumns) -> Bool {
    switch self {
    case .constant(let holds): holds
    case .number(let comparison, let other): comparison.holds(transaction.number, other)
    case .numbers(let list): list.contains(transaction.number)
    case .timestamp(let comparison, let date): comparison.holds(transaction.timestamp, date)
    case .text(let text, let list): list.contains(transaction.text(text))
    case .changes(let entities): transaction.changes(anyOf: entities)
    case .not(let condition): !condition.matches(transaction)
    case .all(let conditions): conditions.allSatisfy { $0.matches(transaction) }
    case .any(let conditions): conditions.contains { $0.matches(transaction) }
    }
  }
}

extension QueryExpression.Comparison {
  /// Returns whether two values satisfy the comparison.
  package func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }

  /// The equivalent comparison with both sides exchanged.
  package var flipped: Self {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

extension StoreHistoryQuery {
  /// Returns whether one transaction precedes another, for stores that sort in memory.
  package func precedes(_ first: some HistoryColumns, _ second: some HistoryColumns) -> Bool {
    for term in order {
      switch term.column {
      case .number where first.number != second.number:
        return (first.number < second.number) != term.isReversed
      case .timestamp where first.timestamp != second.timestamp:
        return (first.timestamp < second.timestamp) != term.isReversed
      default: continue
      }
    }
    return first.number < second.number
  }

  /// Returns the result of the query over all transactions of a history, which are in ascending
  /// order of number.
  package func evaluate<Transaction: HistoryColumns>(
    over history: some Sequence<Transaction>
  ) -> [Transaction] {
    if order.isEmpty {
      var found: [Transaction] = []
      for transaction in history where filter?.matches(transaction) ?? true {
        if let limit, found.count >= limit { break }
        found.append(transaction)
      }
      return found
    }
    let found = history.filter { filter?.matches($0) ?? true }.sorted(by: precedes)
    return limit.map { Array(found.prefix(max(0, $0))) } ?? found
  }
}
