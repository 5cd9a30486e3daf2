import StoreProtocol

/// Translates filters to SQL with the meaning that they have in Swift.
///
/// Every condition has two translations: that it holds, and that it fails. Neither is true if Swift
/// would trap, so that such a row is no match in any context. Both may be null instead of false:
/// only AND, OR, EXISTS and CASE ever surround them.
///
/// Each family of nodes has a file of its own. A node that SQL cannot express becomes a call of a
/// row function, which runs the evaluator over values that SQL can express (`+Lifting`). The
/// translation of a node that even a row function cannot express is `nil`, and the evaluator
/// filters the rows. The SQL text contains names of the schema only.
package struct ConditionTranslator {
  /// The depth beyond which SQLite's parser runs out of stack; row functions do not.
  package static let maximumDepth = 20

  /// The number of parts beyond which a condition becomes a row function.
  ///
  /// The time of SQLite's planner grows with the square of the number of conditions.
  package static let maximumParts = 200

  /// The two translations of a condition.
  package enum Side {
    case holds
    case fails

    package var opposite: Side { self == .holds ? .fails : .holds }
  }

  /// The meaning of a variable.
  package indirect enum Binding {
    /// An object, as a row or a key.
    case object(ObjectTerm)

    /// An expression that is not nil, with the bindings of its own variables.
    case expression(QueryExpression, ConditionTranslator)

    /// A variable of a row function, which SQL cannot name.
    case local(Kind)
  }

  package let catalog: any TranslationCatalog
  package let state: TranslationState
  package private(set) var scope: [Int: Binding]
  package private(set) var depth = 0

  package init(map: EntityMap, catalog: any TranslationCatalog, state: TranslationState) {
    self.catalog = catalog
    self.state = state
    scope = [0: .object(ObjectTerm(row: map, alias: map.table.sql))]
  }

  package var dialect: any SQLDialect { state.dialect }

  /// Returns a translator in which a variable is bound.
  package func binding(_ variable: Int, to binding: Binding) -> ConditionTranslator {
    var other = self
    other.scope[variable] = binding
    return other
  }

  /// Returns a translator for SQL inside a row function, which cannot name the function's
  /// variables.
  package var withoutLocals: ConditionTranslator {
    var other = self
    other.scope = scope.filter { if case .local = $0.value { false } else { true } }
    return other
  }

  private var below: ConditionTranslator {
    var other = self
    other.depth += 1
    return other
  }

  /// Translates that a condition holds or fails, or returns `nil` if that cannot be expressed.
  package func condition(
    _ expression: QueryExpression,
    _ side: Side = .holds
  ) throws -> SQLFragment? {
    if depth < Self.maximumDepth, let words = try below.inWords(expression, side) { return words }
    return try judged(expression, side)
  }

  /// Translates a condition without a row function around it.
  package func inWords(_ expression: QueryExpression, _ side: Side) throws -> SQLFragment? {
    guard state.takeStep() else { return nil }
    switch expression {
    case .constant(.bool(let flag)): return flag == (side == .holds) ? .always : .never
    case .and(let parts): return try junction(expression, parts, passing: .holds, side)
    case .or(let parts): return try junction(expression, parts, passing: .fails, side)
    case .not(let part): return try condition(part, side.opposite)
    case .conditional(let test, let first, let second):
      return try branched(test, first, second, side)
    case .compare(let comparison, let first, let second):
      return try compared(comparison, first, second, side)
    case .isInRange(let value, let lower, let upper, let closed):
      return try ranged(value, lower, upper, closed: closed, side)
    case .contains(let collection, let value): return try contained(value, in: collection, side)
    case .quantified(let quantifier, let collection, let variable, let test):
      return try quantified(quantifier, collection, variable, test, side)
    case .aggregate(.isEmpty, let collection): return try isEmpty(collection, side)
    case .isKind(let object, let entity): return try isKind(object, entity, side)
    case .text(let test, let text, .constant(.string(let part))):
      return try tested(expression, test, text, part, side)
    case .searches(let text, let search):
      return try dialect.functions?.search(text, search, side, self)
    case .map, .coalesce: return try optionalBoolean(expression, side)
    default: return try boolean(of: expression, side)
    }
  }
}

/// The steps and aliases that a query's translation has used, and a cache of column marks.
package final class TranslationState {
  package let dialect: any SQLDialect
  private let rootTable: String
  private let mark: (SQLTerm.Source) throws -> Bool
  private var marks: [SQLTerm.Source: Bool] = [:]
  private var steps = 20_000
  private var aliases = 0

  /// Creates the state of a translation.
  ///
  /// - Parameters:
  ///   - dialect: The dialect of the database.
  ///   - rootTable: The name of the table of the query's rows, which no alias may have.
  ///   - isMarked: Returns whether a column holds values that compare differently in SQL and Swift.
  package init(
    _ dialect: any SQLDialect,
    rootTable: String,
    isMarked: @escaping (SQLTerm.Source) throws -> Bool
  ) {
    self.dialect = dialect
    self.rootTable = rootTable
    mark = isMarked
  }

  /// The columns whose marks were read, or `nil` if one of them is marked.
  package var unmarkedColumns: [SQLTerm.Source]? {
    marks.values.contains(true) ? nil : Array(marks.keys)
  }

  /// Counts one more step, and returns whether the translation may continue.
  ///
  /// The translation of some short expressions takes long.
  package func takeStep() -> Bool {
    steps -= 1
    return steps >= 0
  }

  /// Returns a table alias that is unique in the statement.
  package func alias() -> String {
    aliases += 1
    let name = "t\(aliases)"
    return name == rootTable || name.uppercased() == rootTable ? alias() : name
  }

  /// Returns whether a column holds values that compare differently in SQL and Swift.
  ///
  /// The mark of each column is read once.
  package func isMarked(_ source: SQLTerm.Source) throws -> Bool {
    guard case .value(let type) = source.column.content, dialect.needsCare(type) else {
      return false
    }
    if let result = marks[source] { return result }
    let result = try mark(source)
    marks[source] = result
    return result
  }
}
