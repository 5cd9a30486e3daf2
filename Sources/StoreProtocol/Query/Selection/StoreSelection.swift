/// Values computed from rows, as a plain value: a projection, or aggregates over groups of rows.
///
/// Without groups every row of ``query`` gives one row of the answer, in the order of the query.
/// With groups the rows that pass the query's filter are put into groups with equal keys, and each
/// group gives one row of the answer; the order of the query means nothing then, ``order`` does, and
/// the query's window is taken of the groups.
public struct StoreSelection: Hashable, Sendable {
  /// Which rows, and the window of the answer.
  public var query: StoreQuery
  /// The values over element 0 by which rows are grouped: nil for no groups, empty for one group
  /// of all rows, which exists even where there is no row.
  public var groups: [QueryExpression]?
  /// What each row of the answer has.
  public var columns: [Column]
  /// What must hold for a row of the answer, over its columns; see ``column(_:)``.
  public var having: QueryExpression?
  /// The order of the groups, over the columns of the answer; see ``column(_:)``.
  ///
  /// Groups that it leaves undecided come in the order of their keys, the first key first.
  public var order: [QuerySort]

  /// One value of a row of the answer.
  public enum Column: Hashable, Sendable {
    /// A value of the row; only without groups.
    case value(QueryExpression)
    /// A key of the group, by its place in ``StoreSelection/groups``.
    case key(Int)
    /// The number of rows in the group.
    case count
    /// Something computed from a value of each row of the group, whose type is given.
    case aggregate(Function, QueryExpression, AttributeType)
  }

  /// What is computed from the values of a group; absent values are passed over by all.
  public enum Function: String, Codable, Hashable, Sendable, CaseIterable {
    /// The number of values that are not nil.
    case count
    /// The number of different values, by Swift's `==`; all NaN count as one.
    case distinctCount
    /// The sum, 0 without values.
    ///
    /// A sum of integers that no `Int64` holds is an error, ``DataStoreError/invalidValue``. Reals
    /// are summed exactly and rounded once, so that the order of the rows means nothing.
    case sum
    /// The mean as a real (a decimal for decimals), nil without values.
    case average
    /// The first value in the order of a forward sort, nil without values.
    case minimum
    /// The last value in the order of a forward sort, nil without values; NaN is the last of all.
    case maximum
  }

  /// Creates a selection.
  public init(
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

  /// What a condition or order over the answer calls one of its columns.
  public static func column(_ number: Int) -> QueryExpression {
    .property(.element(0), String(number))
  }
}
