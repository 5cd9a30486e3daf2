import QueryEvaluation
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

/// A constant of a query, with the expression that it is compared with.
struct Comparand {
  let expression: QueryExpression
  let value: StoreValue

  /// Whether another value in its place can result in another shape.
  var isFixed: Bool {
    if case .bool = value { true } else { false }
  }
}

extension StoreQuery {
  /// Returns the query's constants in order, if it differs from another query in those alone, or
  /// `nil` if they differ otherwise.
  func comparands(inShapeOf other: StoreQuery) -> [Comparand]? {
    guard entity == other.entity, includesSubentities == other.includesSubentities,
      (limit == nil) == (other.limit == nil), (offset > 0) == (other.offset > 0),
      properties == other.properties, sort == other.sort
    else { return nil }
    var comparands: [Comparand] = []
    switch (filter, other.filter) {
    case (nil, nil): return comparands
    case (let own?, let shape?):
      return own.gather(&comparands, inShapeOf: shape) ? comparands : nil
    default: return nil
    }
  }

  /// The parameters of the statement's window: the limit, and the offset if there is one.
  var windowParameters: [SQLParameter] {
    guard offset > 0 || limit != nil else { return [] }
    // A negative limit means no limit.
    let limit = limit.map { Int64(max($0, 0)) } ?? -1
    let window = [SQLParameter.value(.integer(limit))]
    return offset > 0 ? window + [.value(.integer(Int64(offset)))] : window
  }
}

extension QueryExpression {
  /// Collects the constants, and returns whether the rest equals another expression.
  fileprivate func gather(
    _ comparands: inout [Comparand],
    inShapeOf other: QueryExpression
  ) -> Bool {
    switch (self, other) {
    case (.and(let parts), .and(let others)), (.or(let parts), .or(let others)):
      return parts.count == others.count
        && zip(parts, others).allSatisfy { $0.gather(&comparands, inShapeOf: $1) }
    case (.not(let part), .not(let other)): return part.gather(&comparands, inShapeOf: other)
    case (.compare(let own, let left, let right), .compare(let other, let first, let second)):
      guard own == other else { return false }
      if case .constant(let value) = right, case .constant(let model) = second {
        return left == first && value.gather(&comparands, with: left, inPlaceOf: model)
      }
      guard case .constant(let value) = left, case .constant(let model) = first else {
        return left == first && right == second
      }
      return right == second && value.gather(&comparands, with: right, inPlaceOf: model)
    case (
      .isInRange(let value, .constant(let lower), .constant(let upper), let isClosed),
      .isInRange(let model, .constant(let first), .constant(let last), let closed)
    ):
      // A range with reversed bounds translates differently.
      return isClosed == closed && value == model && Comparison.lessOrEqual.holds(lower, upper)
        && lower.gather(&comparands, with: value, inPlaceOf: first)
        && upper.gather(&comparands, with: value, inPlaceOf: last)
    default: return self == other
    }
  }
}

extension StoreValue {
  /// Collects the value, and returns whether another of its kind can replace it.
  ///
  /// Only values of kinds that are always bound can be replaced.
  fileprivate func gather(
    _ comparands: inout [Comparand],
    with expression: QueryExpression,
    inPlaceOf other: StoreValue
  ) -> Bool {
    switch (self, other) {
    case (.integer, .integer), (.unsigned, .unsigned), (.double, .double), (.decimal, .decimal),
      (.string, .string), (.date, .date), (.data, .data), (.uuid, .uuid),
      (.identifier, .identifier):
      comparands.append(Comparand(expression: expression, value: self))
      return true
    case (.bool(let own), .bool(let other)):
      comparands.append(Comparand(expression: expression, value: self))
      return own == other
    // Others are part of the text.
    default: return self == other
    }
  }
}
