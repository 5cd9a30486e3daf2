import Foundation

extension QueryExpression: CustomStringConvertible {
  /// The expression as Swift source.
  ///
  /// The fetched row is `$0`; bound variables are `$1`, `$2` and so on.
  public var description: String {
    isDeeper(than: Self.maximumDepth)
      ? "an expression more than \(Self.maximumDepth) levels deep" : QueryText(self).text
  }

  /// The description with `…` for each value that the program supplies, for logs.
  package var descriptionWithoutValues: String {
    (isDeeper(than: Self.maximumDepth) ? self : withoutValues).description
  }

  private var withoutValues: QueryExpression {
    switch self {
    case .constant(.null): self
    case .constant: Self.hidden
    case .matches(let operand, _), .searches(let operand, _):
      .contains(operand.withoutValues, Self.hidden)
    default: replacingChildren(children.map(\.withoutValues))
    }
  }

  /// The expression in place of a value; no query has a variable with a negative number.
  private static let hidden = QueryExpression.element(-1)
}

extension StoreQuery: CustomStringConvertible {
  /// The query in a sentence, such as `Book where $0.pages > 3 sorted by $0.title limit 5`.
  public var description: String {
    var text = includesSubentities ? entity : "\(entity) alone"
    if let filter { text += " where \(filter)" }
    if !sort.isEmpty { text += " sorted by \(sort.map(\.description).joined(separator: ", "))" }
    if offset != 0 { text += " offset \(offset)" }
    if let limit { text += " limit \(limit)" }
    return text
  }
}

extension QuerySort {
  /// The value to order by, and whether the order is descending.
  var description: String { isReversed ? "\(value) reversed" : "\(value)" }
}

/// An expression as Swift source, with the precedence of its outermost operator.
private struct QueryText {
  /// The precedences of Swift's operators, in ascending order.
  enum Strength: Int {
    case choice, or, and, comparison, coalescing, cast, range, addition, multiplication, prefix
    case postfix
  }

  let text: String
  let strength: Strength

  init(_ text: String, _ strength: Strength) {
    self.text = text
    self.strength = strength
  }

  init(_ expression: QueryExpression) {
    self =
      Self.operation(expression) ?? Self.collection(expression)
      ?? Self.object(expression)
      ?? QueryText(expression.constantText, .postfix)
  }

  /// Returns the text in a context that requires a minimum precedence, in parentheses if necessary.
  static func text(_ expression: QueryExpression, _ least: Strength) -> String {
    let inner = QueryText(expression)
    return inner.strength.rawValue >= least.rawValue ? inner.text : "(\(inner.text))"
  }

  private static func infix(
    _ left: QueryExpression,
    _ symbol: String,
    _ right: QueryExpression,
    _ strength: Strength
  ) -> QueryText {
    let tighter = Strength(rawValue: strength.rawValue + 1) ?? .postfix
    let isLeftBound = strength == .addition || strength == .multiplication
    return QueryText(
      "\(text(left, isLeftBound ? strength : tighter)) \(symbol) \(text(right, tighter))",
      strength
    )
  }

  private static func list(
    _ parts: [QueryExpression],
    _ symbol: String,
    _ strength: Strength,
    empty: String
  ) -> QueryText {
    if parts.isEmpty { return QueryText(empty, .postfix) }
    if parts.count == 1 { return QueryText(parts[0]) }
    let tighter = Strength(rawValue: strength.rawValue + 1) ?? .postfix
    return QueryText(parts.map { text($0, tighter) }.joined(separator: " \(symbol) "), strength)
  }

  private static func operation(_ expression: QueryExpression) -> QueryText? {
    switch expression {
    case .compare(let comparison, let left, let right):
      infix(left, comparison.symbol, right, .comparison)
    case .and(let parts): list(parts, "&&", .and, empty: "true")
    case .or(let parts): list(parts, "||", .or, empty: "false")
    case .not(let part): QueryText("!\(text(part, .postfix))", .prefix)
    case .arithmetic(let operation, let left, let right, _):
      infix(left, operation.symbol, right, operation.strength)
    case .negate(let part, _): QueryText("-\(text(part, .postfix))", .prefix)
    case .conditional(let test, let first, let second):
      QueryText(
        "\(text(test, .or)) ? \(text(first, .or)) : \(text(second, .choice))",
        .choice
      )
    case .coalesce(let first, let second):
      QueryText("\(text(first, .cast)) ?? \(text(second, .coalescing))", .coalescing)
    case .isKind(let object, let entity): QueryText("\(text(object, .range)) is \(entity)", .cast)
    case .cast(let object, let entity): QueryText("\(text(object, .range)) as? \(entity)", .cast)
    default: nil
    }
  }

  private static func collection(_ expression: QueryExpression) -> QueryText? {
    switch expression {
    case .contains(let list, let element): call(list, "contains(\(element))")
    case .isInRange(let operand, let lower, let upper, let closed):
      QueryText(
        "(\(text(lower, .addition))\(closed ? "..." : "..<")\(text(upper, .addition)))"
          + ".contains(\(operand))",
        .postfix
      )
    case .quantified(let quantifier, let list, _, let test):
      call(list, "\(quantifier == .some ? "contains" : "allSatisfy") \(closure(test))")
    case .filter(let list, _, let test):
      call(list, "filter \(closure(test))")
    case .aggregate(let aggregate, let list): call(list, aggregate.memberName)
    case .function(let function, let operand): call(operand, function.rawValue)
    case .subscripted(let list, let position):
      QueryText("\(text(list, .postfix))[\(position)]", .postfix)
    case .text(let test, let left, let right): call(left, "\(test.callName)\(right))")
    case .matches(let operand, let pattern): call(operand, "contains(/\(pattern.source)/)")
    case .searches(let operand, let search):
      call(operand, "contains(TextSearch(\(search.text.debugDescription)))")
    default: nil
    }
  }

  private static func object(_ expression: QueryExpression) -> QueryText? {
    switch expression {
    case .element(let variable): QueryText(variable < 0 ? "…" : "$\(variable)", .postfix)
    case .property(let base, let name): call(base, name)
    case .unwrap(let operand): QueryText("\(text(operand, .postfix))!", .postfix)
    case .map(let operand, let variable, let body):
      optionalChain(operand, variable, body)
        ?? call(operand, "flatMap \(closure(body))")
    default: nil
    }
  }

  /// Returns `a?.b`, which is the usual form of most bodies that receive a value.
  private static func optionalChain(
    _ operand: QueryExpression,
    _ variable: Int,
    _ body: QueryExpression
  ) -> QueryText? {
    let head = QueryExpression.element(variable).description
    let tail = QueryText(body)
    guard body.beginsWithProperty(of: variable), tail.text.hasPrefix("\(head).") else { return nil }
    return QueryText(
      "\(text(operand, .postfix))?\(tail.text.dropFirst(head.count))",
      .postfix
    )
  }

  private static func call(_ base: QueryExpression, _ member: String) -> QueryText {
    QueryText("\(text(base, .postfix)).\(member)", .postfix)
  }

  private static func closure(_ body: QueryExpression) -> String {
    "{ \(body) }"
  }
}

extension QueryExpression {
  fileprivate func beginsWithProperty(of variable: Int) -> Bool {
    guard case .property(let base, _) = self else { return false }
    return base == .element(variable) || base.beginsWithProperty(of: variable)
  }

  fileprivate var constantText: String {
    guard case .constant(let value) = self else { return "" }
    return value.queryText
  }
}

extension StoreValue {
  /// The value as Swift source; long lists and bytes are shortened.
  fileprivate var queryText: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value): value.debugDescription
    case .date(let value): "Date(\(value.timeIntervalSinceReferenceDate))"
    case .data(let value): value.count > 8 ? "Data(\(value.count) bytes)" : "Data(\(Array(value)))"
    case .uuid(let value): "UUID(\(value))"
    case .identifier(let value): value.description
    case .identifiers(let list): Self.listText(list, \.description)
    case .array(let list): Self.listText(list, \.queryText)
    case .composite(let members):
      members.isEmpty ? "[:]" : Self.listText(members) { "\($0.name): \($0.value.queryText)" }
    }
  }

  private static func listText<T>(_ list: [T], _ text: (T) -> String) -> String {
    let shown = list.prefix(10).map(text) + (list.count > 10 ? ["… \(list.count - 10) more"] : [])
    return "[\(shown.joined(separator: ", "))]"
  }
}

extension QueryExpression.Comparison {
  /// The operator in Swift, and in SQLite.
  package var symbol: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

extension QueryExpression.Arithmetic {
  fileprivate var symbol: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .remainder: "%"
    }
  }

  fileprivate var strength: QueryText.Strength {
    self == .add || self == .subtract ? .addition : .multiplication
  }
}

extension QueryExpression.Aggregate {
  fileprivate var memberName: String {
    switch self {
    case .count, .isEmpty, .first, .last: rawValue
    case .minimum: "min()"
    case .maximum: "max()"
    }
  }
}

extension QueryExpression.TextTest {
  fileprivate var callName: String { self == .startsWith ? "starts(with: " : "\(rawValue)(" }
}
