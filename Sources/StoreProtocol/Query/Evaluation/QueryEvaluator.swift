/// Answers queries over rows: the one definition of what every expression means.
///
/// The meaning is Swift's. Where Swift would trap (an integer overflows, nil is unwrapped, an
/// index is out of range), the row is no match, whatever stands around that place.
public struct QueryEvaluator<Row: QueryRow> {
  private let schema: StoreSchema
  private let row: (PersistentIdentifier) throws -> Row?
  private let compiler: QueryCompiler<Row>

  /// Creates an evaluator for rows of a schema.
  ///
  /// - Parameters:
  ///   - schema: The schema that the rows belong to.
  ///   - row: The row of an identifier, found by its key; nil where there is none.
  ///   - members: The members of a to-many property of a row, in order.
  public init(
    schema: StoreSchema,
    row: @escaping (PersistentIdentifier) throws -> Row?,
    members: @escaping (Row, Int) throws -> [PersistentIdentifier]
  ) {
    self.schema = schema
    self.row = row
    compiler = QueryCompiler(schema: schema, members: members)
  }

  /// Compiles a condition into a test to be run on many rows, by one thread at a time.
  ///
  /// - Throws: `DataStoreError.invalidPredicate`, here or when the test runs, for an expression
  ///   that names what the schema lacks or nests deeper than ``QueryExpression/maximumDepth``.
  public func test(_ filter: QueryExpression) throws -> (Row) throws -> Bool {
    try filter.checkDepth()
    let condition = try compiler.condition(filter)
    let frame = try frame(for: filter)
    return { row in
      do {
        return try condition(row, frame)
      } catch is QueryTrap {
        return false
      }
    }
  }

  /// Compiles a condition into a test that is nil where Swift would trap, as `test(_:)` does.
  package func judgement(of filter: QueryExpression) throws -> (Row) throws -> Bool? {
    try filter.checkDepth()
    let condition = try compiler.condition(filter)
    let frame = try frame(for: filter)
    return { row in
      do {
        return try condition(row, frame)
      } catch is QueryTrap {
        return nil
      }
    }
  }

  /// The value of an expression for a row, nil where Swift would trap.
  public func value(_ expression: QueryExpression, for row: Row) throws -> StoreValue {
    try reader(of: expression)(row)
  }

  /// Compiles an expression into a function that gives its value for many rows.
  package func reader(of expression: QueryExpression) throws -> (Row) throws -> StoreValue {
    try expression.checkDepth()
    let value = try compiler.value(expression)
    let frame = try frame(for: expression)
    return { row in
      do {
        return try value(row, frame)
      } catch is QueryTrap {
        return .null
      }
    }
  }

  /// Filters rows by entity and condition, sorts them, ties by key, and takes the window.
  public func answer(_ query: StoreQuery, over rows: some Sequence<Row>) throws -> [Row] {
    let found = try rows.withContiguousStorageIfAvailable { try answer(query, in: $0) }
    return try found
      ?? Array(rows).withUnsafeBufferPointer { try answer(query, in: $0) }
  }

  private func answer(_ query: StoreQuery, in rows: UnsafeBufferPointer<Row>) throws -> [Row] {
    let matching = try positions(query, in: rows)
    let offset = min(max(query.offset, 0), matching.count)
    let limit = min(max(query.limit ?? matching.count, 0), matching.count - offset)
    let order = try RowOrder(rows, matching, query.sort, reader: reader(of:))
    return order.first(offset + limit).dropFirst(offset).map { rows[$0] }
  }

  /// The positions of the rows that belong to the query's entity and pass its filter.
  private func positions(_ query: StoreQuery, in rows: UnsafeBufferPointer<Row>) throws -> [Int] {
    let family = query.includesSubentities ? schema.family(of: query.entity).map(\.name) : []
    let entities = Set(family + [query.entity])
    let test = try query.filter.map(test)
    var entity: StoreEntity?
    // A function, so that a row is borrowed once and not copied for each question to it.
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
    QueryFrame(variables: try expression.variableCount(), lookUp: row)
  }
}
