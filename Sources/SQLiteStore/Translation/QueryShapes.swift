import SQLTranslation
import StoreProtocol

/// A connection's cache of statements by the shape of their queries.
///
/// Queries have the same shape if they differ only in the constants that they compare with. The
/// second such query reuses the text of the first and binds its own values, without a translation.
/// Invariants:
/// 1. A statement is cached if SQL computes the whole result, and its parameters are the query's
/// own constants, one by one and in order. All of them were different, so that none can replace
/// another.
/// 2. It is reused while no column that it compares is marked as inexact: the text depends on that.
/// 3. Its result equals that of a new translation of the query; that is its test oracle.
struct QueryShapes {
  /// The kind of a query's result.
  enum ResultKind {
    case rows
    case keys
    case count
  }

  /// The properties that queries must share to be compared at all.
  private struct Kind: Hashable {
    let entity: String
    let result: ResultKind
    let isFiltered: Bool
    let sortCount: Int
  }

  /// The maximum number of statements per kind and of kinds; a full cache is cleared.
  private static let capacity = 32

  private var shapes: [Kind: [QueryShape]] = [:]

  /// Returns the statement of a query whose shape is cached.
  func statement(of query: StoreQuery, _ result: ResultKind) -> QueryStatement? {
    for shape in shapes[Self.kind(of: query, result)] ?? [] {
      if let statement = shape.statement(for: query) { return statement }
    }
    return nil
  }

  /// Caches the statement of a query's shape.
  mutating func keep(_ shape: QueryShape, _ result: ResultKind) {
    let kind = Self.kind(of: shape.query, result)
    if shapes[kind] == nil, shapes.count >= Self.capacity { shapes = [:] }
    if shapes[kind]?.count == Self.capacity { shapes[kind] = nil }
    shapes[kind, default: []].append(shape)
  }

  private static func kind(of query: StoreQuery, _ result: ResultKind) -> Kind {
    Kind(
      entity: query.entity,
      result: result,
      isFiltered: query.filter != nil,
      sortCount: query.sort.count
    )
  }
}

/// A statement that computes the whole result of a query.
struct QueryStatement {
  var sql: SQLFragment

  /// The plan for reading the rows.
  let rows: RowPlan

  /// The metadata keys of the columns that must not be marked.
  var marks: [String] = []
}

/// A query whose statement others can reuse.
struct QueryShape {
  /// The statement of the query.
  let statement: QueryStatement

  let query: StoreQuery

  /// The contents that the constants are compared with, in order.
  let contents: [ColumnMap.Content]

  /// Returns the statement with the parameters of another query, or `nil` if that has another shape.
  func statement(for other: StoreQuery) -> QueryStatement? {
    guard let comparands = other.comparands(inShapeOf: query), comparands.count == contents.count
    else { return nil }
    var parameters: [SQLParameter] = []
    parameters.reserveCapacity(comparands.count + 2)
    for (comparand, content) in zip(comparands, contents) {
      guard let value = SQLiteDialect().operand(comparand.value, for: content)?.value else {
        return nil
      }
      parameters.append(.value(value))
    }
    var statement = statement
    statement.sql.parameters = parameters + other.windowParameters
    return statement
  }
}
