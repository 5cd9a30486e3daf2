import StoreProtocol

/// Says a filter in SQL, as far as SQL means by it what Swift means.
///
/// Each family of nodes has a file of its own. What a family cannot say exactly it does not say at
/// all (nil): the evaluator then judges the rows. Only schema names stand in the text; every value
/// is bound.
struct ConditionTranslator {
  /// Beyond this depth SQLite's parser runs out of stack; the evaluator does not.
  static let maximumDepth = 20

  /// SQLite's planner takes a time that grows with the square of the number of conditions.
  static let maximumConditions = 500

  /// SQLite takes 32,766 parameters; a list this long is the evaluator's.
  static let maximumValues = 20_000

  let map: EntityMap
  let catalog: Catalog
  private let state: TranslationState

  init(map: EntityMap, catalog: Catalog, connection: Connection) {
    self.map = map
    self.catalog = catalog
    state = TranslationState(connection)
  }

  /// Where a condition stands.
  struct Position {
    /// How deep in other conditions.
    var depth = 0

    /// Whether the opposite of the condition is wanted.
    ///
    /// Then it must be false and not null where a value is absent. Elsewhere null does as well,
    /// and leaves more to the planner.
    var isNegated = false

    var below: Position { Position(depth: depth + 1, isNegated: isNegated) }
  }

  /// Says a whole condition.
  func condition(
    _ expression: QueryExpression,
    at position: Position = Position()
  ) throws -> SQLFragment? {
    guard position.depth <= Self.maximumDepth, state.takeCondition() else { return nil }
    switch expression {
    case .constant(.bool(let truth)): return truth ? .always : .never
    case .property: return truth(of: expression)
    case .aggregate(.isEmpty, .property(.element(0), let name)): return isEmpty(name)
    case .and(let terms): return try conjunction(terms, at: position)
    case .or(let terms): return try disjunction(terms, at: position)
    case .not(let term):
      let below = Position(depth: position.depth + 1, isNegated: true)
      return try condition(term, at: below).map { !$0 }
    case .compare(let comparison, let first, let second):
      return try compared(comparison, first, second, isGuarded: position.isNegated)
    case .isInRange(let value, let lower, let upper, let closed):
      return try ranged(value, lower, upper, closed: closed, isGuarded: position.isNegated)
    case .contains(let collection, let value):
      return try contained(value, in: collection, isGuarded: position.isNegated)
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
      if let fragment = try condition(term) ?? term.withoutUnwraps.flatMap({ try condition($0) }) {
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

  /// Whether every value of a column compares in SQL as in Swift.
  func isExact(_ column: ColumnMap, in table: TableMap) throws -> Bool {
    guard case .value(let type) = column.content, type.hasInexactValues else { return true }
    return try !state.isMarked(column, in: table)
  }
}

/// What the translation of one filter has used up, and what it knows of the marks of columns.
private final class TranslationState {
  private let connection: Connection
  private var known: [String: Bool] = [:]
  private var rest = ConditionTranslator.maximumConditions

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// Counts one more condition, and says whether it may be said in SQL.
  func takeCondition() -> Bool {
    rest -= 1
    return rest >= 0
  }

  /// Asks once for the mark of a column, however often a condition names it.
  func isMarked(_ column: ColumnMap, in table: TableMap) throws -> Bool {
    let key = InexactColumns.key(of: column, in: table)
    if let answer = known[key] { return answer }
    let answer = try InexactColumns.isMarked(column, in: table, on: connection)
    known[key] = answer
    return answer
  }
}
