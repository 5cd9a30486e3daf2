/// A fetch as a plain value: what a store is asked, without any model type.
///
/// Rows that the filter and the sort terms leave undecided are ordered by their identifiers, so
/// that two stores with the same rows answer element by element alike.
public struct StoreQuery: Hashable, Sendable {
  /// The name of the entity.
  public var entity: String
  /// Whether rows of entities that inherit from it count as well.
  public var includesSubentities: Bool
  /// What must hold for a row, nil for all rows; see ``QueryExpression`` for its meaning.
  public var filter: QueryExpression?
  /// The order of the answer, most important term first.
  public var sort: [QuerySort]
  /// How many rows of the ordered answer to leave out at its beginning.
  public var offset: Int
  /// How many rows to give at the most, nil for all.
  public var limit: Int?
  /// The names of relationships whose objects will be wanted at once.
  public var prefetch: [String]
  /// The names of the properties that are wanted, nil for all but what the store keeps outside of
  /// the row.
  ///
  /// It concerns `RecordStore.read` alone, which may leave attributes out that are not named; see
  /// ``RowReader/isDeferred(at:)``.
  public var properties: [String]?

  /// Creates a query for all rows of an entity, to be narrowed down.
  public init(
    entity: String,
    includesSubentities: Bool = true,
    filter: QueryExpression? = nil,
    sort: [QuerySort] = [],
    offset: Int = 0,
    limit: Int? = nil,
    prefetch: [String] = [],
    properties: [String]? = nil
  ) {
    self.entity = entity
    self.includesSubentities = includesSubentities
    self.filter = filter
    self.sort = sort
    self.offset = offset
    self.limit = limit
    self.prefetch = prefetch
    self.properties = properties
  }

  /// A query for the rows of given identifiers, in the order of the identifiers' values.
  public static func rows(_ identifiers: [PersistentIdentifier], of entity: String) -> StoreQuery {
    StoreQuery(
      entity: entity,
      filter: .contains(.constant(.identifiers(identifiers)), .element(0))
    )
  }

  /// The identifiers that the filter names, where it asks for rows by identity and nothing else.
  public var identifiers: [PersistentIdentifier]? {
    switch filter {
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
  /// Whether the order is from large to small, `nil` values last.
  public var isReversed: Bool

  /// Creates a term.
  public init(_ value: QueryExpression, isReversed: Bool = false) {
    self.value = value
    self.isReversed = isReversed
  }

  /// Creates a term that orders by a property of the fetched rows.
  public init(property name: String, isReversed: Bool = false) {
    self.init(.property(.element(0), name), isReversed: isReversed)
  }
}
