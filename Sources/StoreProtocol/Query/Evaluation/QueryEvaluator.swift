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
  ///   that names what the schema lacks.
  public func test(_ filter: QueryExpression) throws -> (Row) throws -> Bool {
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

  /// The value of an expression for a row, nil where Swift would trap.
  public func value(_ expression: QueryExpression, for row: Row) throws -> StoreValue {
    try reader(of: expression)(row)
  }

  /// Compiles an expression into a function that gives its value for many rows.
  func reader(of expression: QueryExpression) throws -> (Row) throws -> StoreValue {
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
    let family = query.includesSubentities ? schema.family(of: query.entity).map(\.name) : []
    let entities = Set(family + [query.entity])
    var entity: StoreEntity?
    let test = try query.filter.map(test)
    var matching: [Row] = []
    func take(_ row: Row) throws {
      let current = row.entity
      if current !== entity {
        guard entities.contains(current.name) else { return }
        entity = current
      }
      if try test?(row) ?? true { matching.append(row) }
    }
    // An array's rows are looked at where they are; an iterator would copy each.
    let isArray: Void? = try rows.withContiguousStorageIfAvailable { buffer in
      for index in buffer.indices { try take(buffer[index]) }
    }
    if isArray == nil { for row in rows { try take(row) } }
    let end = query.limit.map { max($0, 0).addingReportingOverflow(max(query.offset, 0)) }
    let count = end.flatMap { $0.overflow ? nil : $0.partialValue }
    return window(of: query, in: try sorted(matching, by: query.sort, first: count))
  }

  private func window(of query: StoreQuery, in rows: [Row]) -> [Row] {
    let offset = max(query.offset, 0)
    guard offset > 0 || query.limit != nil else { return rows }
    let rest = rows.dropFirst(offset)
    return query.limit.map { Array(rest.prefix(max($0, 0))) } ?? Array(rest)
  }

  private func frame(for expression: QueryExpression) throws -> QueryFrame<Row> {
    QueryFrame(variables: try expression.variableCount(), lookUp: row)
  }
}
