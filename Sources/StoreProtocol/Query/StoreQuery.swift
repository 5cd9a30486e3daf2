/// A fetch as a plain value: the request to a store, without any model type.
///
/// Ties in the order are broken by identifier, so two stores with the same rows return identical
/// results.
public struct StoreQuery: Hashable, Sendable {
  /// The name of the entity.
  public var entity: String
  /// Whether rows of entities that inherit from it are included.
  public var includesSubentities: Bool
  /// The filter.
  ///
  /// `nil` matches all rows; see ``QueryExpression`` for its meaning.
  public var filter: QueryExpression? {
    get {
      switch condition {
      case .filter(let filter): filter
      case .row(let row): Self.expression(of: [row])
      }
    }
    set { condition = .filter(newValue) }
  }
  /// The order of the result, most important term first.
  public var sort: [QuerySort]
  /// The number of rows of the ordered result to skip.
  public var offset: Int
  /// The maximum number of rows to return, or `nil` for no limit.
  public var limit: Int?
  /// The names of relationships whose objects will be needed immediately.
  package var prefetch: [String] = []
  /// The names of the requested properties, or `nil` for all except those that the store keeps
  /// outside the row.
  ///
  /// A read of ``Content/values`` may leave out other attributes; see ``RowReader/isDeferred(at:)``.
  public var properties: [String]?
  /// The part of each row that a read returns.
  public var content = Content.values

  /// The part of a row that ``RecordStore/read(_:_:)`` returns.
  ///
  /// A store may always return more.
  public enum Content: Hashable, Sendable {
    /// The key, the version, and the requested values except those of to-many relationships.
    case values
    /// All values, from which `RowReader.record()` makes a record.
    case records
    /// The identifier.
    case identifiers
  }

  /// The filter, or the only row: a request for one row needs no expression, which takes several
  /// allocations.
  private enum Condition: Hashable, Sendable {
    case filter(QueryExpression?)
    case row(PersistentIdentifier)
  }

  private var condition: Condition

  /// Creates a query for all rows of an entity, which the other parameters narrow.
  public init(
    entity: String,
    includesSubentities: Bool = true,
    filter: QueryExpression? = nil,
    sort: [QuerySort] = [],
    offset: Int = 0,
    limit: Int? = nil,
    properties: [String]? = nil
  ) {
    self.entity = entity
    self.includesSubentities = includesSubentities
    condition = .filter(filter)
    self.sort = sort
    self.offset = offset
    self.limit = limit
    self.properties = properties
  }

  /// Returns a query for the rows of given identifiers, in the order of the identifiers.
  package static func rows(_ identifiers: [PersistentIdentifier], of entity: String) -> StoreQuery {
    StoreQuery(entity: entity, filter: expression(of: identifiers))
  }

  /// Returns a query for the row of an identifier.
  ///
  /// Programs request one object after another by identifier, so a store may have a prepared read for
  /// it (``row``).
  package static func row(_ identifier: PersistentIdentifier, of entity: String) -> StoreQuery {
    var query = StoreQuery(entity: entity)
    query.condition = .row(identifier)
    return query
  }

  private static func expression(of rows: [PersistentIdentifier]) -> QueryExpression {
    .contains(.constant(.identifiers(rows)), .element(0))
  }

  /// The identifier of a query that ``row(_:of:)`` created, if it is unchanged except for its content.
  package var row: PersistentIdentifier? {
    guard case .row(let row) = condition, properties == nil, includesSubentities, sort.isEmpty,
      offset <= 0, limit == nil
    else { return nil }
    return row
  }

  /// The identifiers in the filter, if it selects rows by identifier and nothing else.
  public var identifiers: [PersistentIdentifier]? {
    if case .row(let row) = condition { return [row] }
    return switch filter {
    case .contains(.constant(.identifiers(let list)), .element(0)): list
    case .compare(.equal, .element(0), .constant(.identifier(let one))): [one]
    case .compare(.equal, .constant(.identifier(let one)), .element(0)): [one]
    default: nil
    }
  }
}

/// One term of an order.
public struct QuerySort: Hashable, Sendable {
  /// The value to order by, over element 0; `nil` values come first in the forward order.
  public var value: QueryExpression
  /// Whether the order is descending, with `nil` values last.
  public var isReversed: Bool

  /// Creates a term.
  public init(_ value: QueryExpression, isReversed: Bool = false) {
    self.value = value
    self.isReversed = isReversed
  }

  /// Creates a term that orders by a property of the fetched rows.
  package init(property name: String, isReversed: Bool = false) {
    self.init(.property(.element(0), name), isReversed: isReversed)
  }
}
