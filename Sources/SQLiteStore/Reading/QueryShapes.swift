import SQLTranslation
import StoreProtocol

/// Statements of one connection by the shape of the queries that they answer.
///
/// Queries have one shape where they differ in nothing but values that they compare with: the
/// second takes the text of the first and binds its own values, and nothing is translated.
/// Invariants:
/// 1. A statement is kept where SQL gives the whole answer, and its parameters are the query's own
///    values, one by one and in their order. None of them was equal to another then, so that none
///    can stand in the place of another.
/// 2. It is lent while no column that it compares is marked as inexact: the text depends on that.
/// 3. What it answers is what the translation of the same query would; that is its test oracle.
struct QueryShapes {
  /// What is asked of the rows.
  enum Answer {
    case rows
    case keys
    case count
  }

  /// What queries must have in common to be compared at all.
  private struct Kind: Hashable {
    let entity: String
    let answer: Answer
    let isFiltered: Bool
    let sortCount: Int
  }

  /// How many statements one kind keeps, and how many kinds there are; one that is full begins anew.
  private static let capacity = 32

  private var shapes: [Kind: [QueryShape]] = [:]

  /// The statement of a query whose shape is known; without a way to look at marks, only one whose
  /// text depends on none.
  func statement(
    of query: StoreQuery,
    _ answer: Answer,
    catalog: Catalog,
    isMarked: ((String) throws -> Bool)?
  ) throws -> QueryStatement? {
    for shape in shapes[Self.kind(of: query, answer)] ?? [] where shape.catalog === catalog {
      guard shape.marks.isEmpty || isMarked != nil, let parameters = shape.parameters(of: query)
      else { continue }
      for mark in shape.marks where try isMarked?(mark) != false { return nil }
      return QueryStatement(text: shape.text, parameters: parameters, rows: shape.rows)
    }
    return nil
  }

  /// Keeps the statement of a plan, if others of its shape can have it.
  mutating func keep(_ statement: QueryStatement, of plan: QueryPlan, _ answer: Answer) {
    guard let shape = QueryShape(statement, of: plan) else { return }
    let kind = Self.kind(of: plan.query, answer)
    if shapes[kind] == nil, shapes.count >= Self.capacity { shapes = [:] }
    if shapes[kind]?.count == Self.capacity { shapes[kind] = nil }
    shapes[kind, default: []].append(shape)
  }

  private static func kind(of query: StoreQuery, _ answer: Answer) -> Kind {
    Kind(
      entity: query.entity,
      answer: answer,
      isFiltered: query.filter != nil,
      sortCount: query.sort.count
    )
  }
}

/// A statement that gives the whole answer to a query.
struct QueryStatement {
  let text: String
  let parameters: [SQLParameter]

  /// What is read of the rows.
  let rows: RowPlan
}

extension QueryStatement {
  init(_ fragment: SQLFragment, rows: RowPlan) {
    self.init(text: fragment.text, parameters: fragment.parameters, rows: rows)
  }
}

/// A query whose statement others can have.
private struct QueryShape {
  let catalog: Catalog
  let text: String
  let rows: RowPlan

  /// The keys of the columns that must not be marked.
  let marks: [String]

  /// The query that the statement was made of.
  private let query: StoreQuery

  /// What each value is compared with, in their order.
  private let contents: [ColumnMap.Content]

  init?(_ statement: QueryStatement, of plan: QueryPlan) {
    guard plan.isNative, let columns = plan.translator.state.unmarkedColumns,
      let comparands = plan.query.comparands(inShapeOf: plan.query)
    else { return nil }
    var contents: [ColumnMap.Content] = []
    for comparand in comparands {
      guard let term = try? plan.translator.term(comparand.expression) else { return nil }
      contents.append(term.content)
    }
    catalog = plan.catalog
    text = statement.text
    rows = statement.rows
    query = plan.query
    marks = columns.map { InexactColumns.key(of: $0.column, in: $0.table) }
    self.contents = contents
    let parameters = statement.parameters
    guard self.parameters(of: query) == parameters else { return nil }
    let counts = parameters.prefix(contents.count).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    for (comparand, parameter) in zip(comparands, parameters) where !comparand.isFixed {
      if counts[parameter] != 1 { return nil }
    }
  }

  /// The parameters for another query, nil where it is of another shape.
  func parameters(of other: StoreQuery) -> [SQLParameter]? {
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
    return parameters + other.windowParameters
  }
}
