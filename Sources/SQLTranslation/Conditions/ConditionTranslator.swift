import StoreProtocol

/// Says filters in SQL, meaning what Swift means.
///
/// Every condition can be said in two ways: that it holds, and that it fails. Neither is the case
/// where Swift would trap, so that such a row is no match whatever stands around the place. Both
/// may be null instead of false: only AND, OR, EXISTS and CASE ever stand around them.
///
/// Each family of nodes has a file of its own. What SQL has no words for becomes a call of a row
/// function, which runs the evaluator over values that SQL can say (`+Lifting`); what cannot be said
/// even so is nil, and the evaluator judges the rows. Only names of the schema stand in the text.
package struct ConditionTranslator {
  /// Beyond this depth SQLite's parser runs out of stack; row functions do not.
  package static let maximumDepth = 20

  /// A condition of more parts than this becomes a row function: SQLite's planner takes a time that
  /// grows with the square of the number of conditions.
  package static let maximumParts = 200

  /// The two ways to say a condition.
  package enum Side {
    case holds
    case fails

    package var opposite: Side { self == .holds ? .fails : .holds }
  }

  /// What a variable stands for.
  package indirect enum Binding {
    /// An object, as a row or a key.
    case object(ObjectTerm)

    /// An expression that is not nil, with what its own variables stand for.
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

  /// The same with a variable bound.
  package func binding(_ variable: Int, to binding: Binding) -> ConditionTranslator {
    var other = self
    other.scope[variable] = binding
    return other
  }

  /// The same for SQL inside of a row function, which cannot name the function's variables.
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

  /// Says that a condition holds, or that it fails; nil where neither can be said.
  package func condition(
    _ expression: QueryExpression,
    _ side: Side = .holds
  ) throws -> SQLFragment? {
    if depth < Self.maximumDepth, let words = try below.inWords(expression, side) { return words }
    return try judged(expression, side)
  }

  /// Says a condition in SQL's own words.
  package func inWords(_ expression: QueryExpression, _ side: Side) throws -> SQLFragment? {
    guard state.takeStep() else { return nil }
    switch expression {
    case .constant(.bool(let truth)): return truth == (side == .holds) ? .always : .never
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
    case .text(.startsWith, let text, .constant(.string(let prefix))):
      return try startsWith(expression, text, prefix, side)
    case .searches(let text, let search):
      return try dialect.functions?.search(text, search, side, self)
    case .map, .coalesce: return try optionalTruth(expression, side)
    default: return try truth(of: expression, side)
    }
  }
}

/// What the translation of one query has used up, and what it knows of the marks of columns.
package final class TranslationState {
  package let dialect: any SQLDialect
  /// Whether values can lie in files.
  package let hasFiles: Bool
  private let rootTable: String
  private let mark: (SQLTerm.Source) throws -> Bool
  private var marks: [SQLTerm.Source: Bool] = [:]
  private var steps = 20_000
  private var aliases = 0

  /// Begins a translation.
  ///
  /// - Parameters:
  ///   - dialect: The database's.
  ///   - rootTable: The name of the table of the query's rows, which no other name may be.
  ///   - hasFiles: Whether values can lie in files.
  ///   - isMarked: Tells whether a column holds values that SQL compares otherwise than Swift.
  package init(
    _ dialect: any SQLDialect,
    rootTable: String,
    hasFiles: Bool,
    isMarked: @escaping (SQLTerm.Source) throws -> Bool
  ) {
    self.dialect = dialect
    self.rootTable = rootTable
    self.hasFiles = hasFiles
    mark = isMarked
  }

  /// The columns whose marks were asked for, nil where one has a mark.
  package var unmarkedColumns: [SQLTerm.Source]? {
    marks.values.contains(true) ? nil : Array(marks.keys)
  }

  /// Counts one more step, and says whether the translation may go on: some expressions are short
  /// and take long.
  package func takeStep() -> Bool {
    steps -= 1
    return steps >= 0
  }

  /// A name for a table that no other in the statement has.
  package func alias() -> String {
    aliases += 1
    let name = "t\(aliases)"
    return name == rootTable || name.uppercased() == rootTable ? alias() : name
  }

  /// Whether a column holds values that SQL compares otherwise than Swift; each is asked once.
  package func isMarked(_ source: SQLTerm.Source) throws -> Bool {
    guard case .value(let type) = source.column.content, dialect.needsCare(type) else {
      return false
    }
    if let answer = marks[source] { return answer }
    let answer = try mark(source)
    marks[source] = answer
    return answer
  }
}
