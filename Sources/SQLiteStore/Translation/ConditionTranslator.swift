import StoreProtocol

/// Says a filter in SQL, as far as SQL means by it what Swift means.
///
/// Each family of nodes has a file of its own. What a family cannot say exactly it does not say at
/// all (nil): the evaluator then judges the rows. Only schema names stand in the text; every value
/// is bound.
struct ConditionTranslator {
  /// Beyond this depth SQLite's parser runs out of stack; the evaluator does not.
  static let maximumDepth = 20

  /// SQLite takes 32,766 parameters; a list this long is the evaluator's.
  static let maximumValues = 20_000

  let map: EntityMap
  let catalog: Catalog
  let connection: Connection

  /// Says a whole condition.
  func condition(_ expression: QueryExpression, depth: Int = 0) throws -> SQLFragment? {
    guard depth <= Self.maximumDepth else { return nil }
    switch expression {
    case .constant(.bool(let truth)): return truth ? .always : .never
    case .property: return truth(of: expression)
    case .and(let terms): return try conjunction(terms, depth: depth)
    case .or(let terms): return try disjunction(terms, depth: depth)
    case .not(let term): return try condition(term, depth: depth + 1).map { !$0 }
    case .compare(let comparison, let first, let second):
      return try compared(comparison, first, second)
    case .isInRange(let value, let lower, let upper, let closed):
      return try ranged(value, lower, upper, closed: closed)
    case .contains(let collection, let value): return try contained(value, in: collection)
    case .isKind(.element(0), let entity): return kind(entity)
    default: return nil
    }
  }

  /// Splits a filter into what SQL says and what the evaluator has to add.
  func split(
    _ filter: QueryExpression
  ) throws -> (native: SQLFragment?, rest: QueryExpression?) {
    var native: [SQLFragment] = []
    var rest: [QueryExpression] = []
    for term in filter.conjuncts {
      if let fragment = try condition(term) {
        native.append(fragment)
      } else {
        rest.append(term)
      }
    }
    if native.reduce(0, { $0 + $1.values.count }) > Self.maximumValues { return (nil, filter) }
    return (
      native.isEmpty ? nil : .joined(native, by: "AND"),
      rest.isEmpty ? nil : rest.count == 1 ? rest[0] : .and(rest)
    )
  }

  /// The column of a property of the fetched row, where it has one.
  func column(_ expression: QueryExpression) -> ColumnMap? {
    guard case .property(.element(0), let name) = expression else { return nil }
    return map.column(of: name)
  }

  /// Whether every value of a column compares in SQL as in Swift.
  func isExact(_ column: ColumnMap) throws -> Bool {
    guard case .value(let type) = column.content, type.hasInexactValues else { return true }
    return try !InexactColumns.isMarked(column, in: map.table, on: connection)
  }
}

extension QueryExpression {
  /// The terms that must all hold.
  var conjuncts: [QueryExpression] {
    if case .and(let terms) = self { return terms.flatMap(\.conjuncts) }
    return [self]
  }
}
