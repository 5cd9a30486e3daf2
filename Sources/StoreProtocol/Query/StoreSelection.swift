/// Values computed from rows, as a plain value: a projection, or aggregates over groups of rows.
///
/// Without groups, every row of ``query`` results in one row, in the order of the query. With
/// groups, the rows that pass the query's filter are grouped by equal keys, and each group results
/// in one row. Then the order of the query has no effect, ``order`` applies instead, and the
/// query's window applies to the groups.
public struct StoreSelection: Hashable, Sendable {
  /// The query for the rows, with the window of the result.
  public var query: StoreQuery
  /// The values over element 0 by which rows are grouped, or `nil` for no groups.
  ///
  /// An empty list results in one group of all rows, which exists even if there are no rows.
  public var groups: [QueryExpression]?
  /// The columns of each row of the result.
  public var columns: [Column]
  /// The condition on a row of the result, over its columns; see `column(_:)`.
  public var having: QueryExpression?
  /// The order of the groups, over the columns of the result; see `column(_:)`.
  ///
  /// Ties are in the order of the keys, with the first key first.
  public var order: [QuerySort]

  /// One value of a row of the result.
  public enum Column: Hashable, Sendable {
    /// A value of the row, without groups only.
    case value(QueryExpression)
    /// A key of the group, by its index in ``StoreSelection/groups``.
    case key(Int)
    /// The number of rows in the group.
    case count
    /// An aggregate of a value of each row of the group, with the type of the value.
    case aggregate(Function, QueryExpression, AttributeType)
  }

  /// The aggregate functions over the values of a group; all ignore absent values.
  public enum Function: String, Codable, Hashable, Sendable, CaseIterable {
    /// The number of values that are not nil.
    case count
    /// The number of different values, by Swift's `==`; all NaN count as one.
    case distinctCount
    /// The sum, or 0 without values.
    ///
    /// A sum of integers that does not fit into an `Int64` is an error,
    /// ``DataStoreError/invalidValue``. Floating-point numbers are summed exactly and rounded once,
    /// so the order of the rows has no effect.
    case sum
    /// The average as a floating-point number (a decimal for decimals), or nil without values.
    case average
    /// The first value in forward order, or nil without values.
    case minimum
    /// The last value in forward order, or nil without values; NaN is the last of all.
    case maximum
  }

  /// Creates a selection.
  package init(
    _ query: StoreQuery,
    groups: [QueryExpression]? = nil,
    columns: [Column],
    having: QueryExpression? = nil,
    order: [QuerySort] = []
  ) {
    self.query = query
    self.groups = groups
    self.columns = columns
    self.having = having
    self.order = order
  }

  /// Returns the expression for a column of the result, for a condition or an order.
  package static func column(_ number: Int) -> QueryExpression {
    .property(.element(0), String(number))
  }
}

extension StoreQuery {
  /// The query without order and window.
  package var withoutOrder: StoreQuery {
    StoreQuery(entity: entity, includesSubentities: includesSubentities, filter: filter)
  }
}

extension StoreSelection {
  /// The query for the rows from which the selection is computed.
  ///
  /// It is the selection's own query or, for groups, a query for all rows that satisfy its filter.
  public var rowQuery: StoreQuery { groups == nil ? query : query.withoutOrder }
}
