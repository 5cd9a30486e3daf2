import StoreProtocol

/// An evaluator of queries over rows: the one definition of the meaning of every expression.
///
/// The meaning is Swift's. If Swift would trap (an integer overflows, nil is unwrapped, an index is
/// out of range), the row does not match, regardless of the surrounding expression.
public struct QueryEvaluator<Row: QueryRow> {
  private let schema: StoreSchema
  private let row: QueryFrame<Row>.Rows
  private let members: QueryFrame<Row>.Members
  private let compiler: QueryCompiler<Row>
  /// The number of properties in an expression up to which it reads each of them anew.
  private static var fewProperties: Int { 16 }

  /// Creates an evaluator for rows of a schema.
  ///
  /// - Parameters:
  ///   - schema: The schema of the rows.
  ///   - row: A closure that returns the row of an identifier, found by its key, or `nil` if there
  ///     is none.
  ///   - members: A closure that returns the related objects of a to-many property of a row, in
  ///     order.
  public init(
    schema: StoreSchema,
    row: @escaping (PersistentIdentifier) throws -> Row?,
    members: @escaping (Row, Int) throws -> [PersistentIdentifier]
  ) {
    self.schema = schema
    self.row = row
    self.members = members
    compiler = QueryCompiler(schema: schema)
  }

  /// Compiles a condition into a test of many rows, for one thread at a time.
  ///
  /// - Throws: `DataStoreError.invalidPredicate`, here or when the test runs, for an expression
  ///   that names something that the schema lacks, or that nests deeper than
  ///   `QueryExpression.maximumDepth`.
  public func test(_ filter: QueryExpression) throws -> (Row) throws -> Bool {
    try compiled(filter, compiler.condition, trapped: false)
  }

  /// Compiles a condition into a test that returns `nil` if Swift would trap, as `test(_:)` does.
  package func ternaryTest(of filter: QueryExpression) throws -> (Row) throws -> Bool? {
    try compiled(filter, compiler.condition, trapped: nil)
  }

  /// Returns the value of an expression for a row, or null if Swift would trap.
  public func value(_ expression: QueryExpression, for row: Row) throws -> StoreValue {
    try reader(of: expression)(row)
  }

  /// Compiles an expression into a function that returns its value for many rows.
  package func reader(of expression: QueryExpression) throws -> (Row) throws -> StoreValue {
    try compiled(expression, compiler.value, trapped: .null)
  }

  /// Compiles an expression into a function of a row, whose result is another one if Swift would
  /// trap.
  private func compiled<Value>(
    _ expression: QueryExpression,
    _ compile: (QueryExpression) throws -> (Row, QueryFrame<Row>) throws -> Value,
    trapped: Value
  ) throws -> (Row) throws -> Value {
    try expression.checkDepth()
    let value = try compile(expression)
    let frame = try frame(for: expression)
    return { row in
      frame.begin()
      do {
        return try value(row, frame)
      } catch is QueryTrap {
        return trapped
      }
    }
  }

  /// Filters rows by entity and condition, sorts them, with ties by key, and applies the window.
  public func evaluate(_ query: StoreQuery, over rows: some Sequence<Row>) throws -> [Row] {
    let found = try rows.withContiguousStorageIfAvailable { try evaluate(query, in: $0) }
    return try found
      ?? Array(rows).withUnsafeBufferPointer { try evaluate(query, in: $0) }
  }

  private func evaluate(_ query: StoreQuery, in rows: UnsafeBufferPointer<Row>) throws -> [Row] {
    let matching = try positions(query, in: rows)
    let offset = min(max(query.offset, 0), matching.count)
    let limit = min(max(query.limit ?? matching.count, 0), matching.count - offset)
    let order = try RowOrder(rows, matching, query.sort, reader: reader(of:))
    return order.first(offset + limit).dropFirst(offset).map { rows[$0] }
  }

  /// Returns the positions of the rows of the query's entity that pass its filter.
  private func positions(_ query: StoreQuery, in rows: UnsafeBufferPointer<Row>) throws -> [Int] {
    let family = query.includesSubentities ? schema.family(of: query.entity).map(\.name) : []
    let entities = Set(family + [query.entity])
    let test = try query.filter.map(test)
    var entity: StoreEntity?
    // A function, so that a row is borrowed once and not copied for each access.
    func passes(_ row: Row) throws -> Bool {
      let current = row.entity
      if current !== entity {
        guard entities.contains(current.name) else { return false }
        entity = current
      }
      guard let test else { return true }
      return try test(row)
    }
    var positions: [Int] = []
    for position in rows.indices where try passes(rows[position]) { positions.append(position) }
    return positions
  }

  private func frame(for expression: QueryExpression) throws -> QueryFrame<Row> {
    QueryFrame(
      variables: try expression.variableCount(),
      keepsReads: expression.propertyCount > Self.fewProperties,
      lookUp: row,
      members: members
    )
  }
}
