/// A piece of SQL with the values that its parameters take, in order.
///
/// Written as a text with other pieces in it: `"\(term) IS NULL"`. Plain texts that stand in it are
/// names of the schema or of the store's own; values of a program are only ever bound.
struct SQLFragment: Hashable, Sendable {
  var text: String
  var parameters: [SQLParameter]

  init(_ text: String, _ parameters: [SQLParameter] = []) {
    self.text = text
    self.parameters = parameters
  }

  static let always = SQLFragment("1")
  static let never = SQLFragment("0")
}

/// What a parameter of a statement takes.
enum SQLParameter: Hashable, Sendable {
  case value(SQLValue)
  case function(RowFunction)
}

extension SQLFragment: ExpressibleByStringInterpolation {
  init(stringLiteral value: String) { self.init(value) }

  init(stringInterpolation: StringInterpolation) { self = stringInterpolation.fragment }

  /// Puts pieces together.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var fragment = SQLFragment("")

    init(literalCapacity: Int, interpolationCount: Int) {
      fragment.text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    mutating func appendLiteral(_ literal: String) { fragment.text += literal }

    /// A name.
    mutating func appendInterpolation(_ name: String) { fragment.text += name }

    /// Another piece.
    mutating func appendInterpolation(_ other: SQLFragment) {
      fragment.text += other.text
      fragment.parameters += other.parameters
    }

    /// A value, as a parameter.
    mutating func appendInterpolation(bind value: SQLValue) {
      fragment.text += "?"
      fragment.parameters.append(.value(value))
    }

    /// A row function, as a parameter.
    mutating func appendInterpolation(bind function: RowFunction) {
      fragment.text += "?"
      fragment.parameters.append(.function(function))
    }
  }
}

/// Conditions of conditions. A condition that is null counts as false, so there is no NOT here: the
/// translator says the opposite of each condition instead.
extension SQLFragment {
  /// All of some conditions.
  static func all(_ conditions: [SQLFragment]) -> SQLFragment {
    if conditions.count == 1 { return conditions[0] }
    if conditions.contains(.never) { return .never }
    let left = conditions.filter { $0 != .always }
    return left.isEmpty ? .always : joined(left, by: "AND")
  }

  /// Any of some conditions.
  static func any(_ conditions: [SQLFragment]) -> SQLFragment {
    if conditions.count == 1 { return conditions[0] }
    if conditions.contains(.always) { return .always }
    let left = conditions.filter { $0 != .never }
    return left.isEmpty ? .never : joined(left, by: "OR")
  }

  /// Several conditions as one.
  ///
  /// Up to a length that is far from SQLite's limit on depth they stand in one flat list, in which
  /// the planner finds its indexes; longer ones are split into halves, since a flat list of *n* is
  /// a tree of depth *n* to SQLite.
  private static func joined(_ fragments: [SQLFragment], by word: String) -> SQLFragment {
    guard fragments.count > 100 else { return flat(fragments, by: word) }
    let half = fragments.count / 2
    return flat(
      [joined(Array(fragments[..<half]), by: word), joined(Array(fragments[half...]), by: word)],
      by: word
    )
  }

  private static func flat(_ fragments: [SQLFragment], by word: String) -> SQLFragment {
    guard fragments.count != 1 else { return fragments[0] }
    return SQLFragment(
      fragments.map { "(\($0.text))" }.joined(separator: " \(word) "),
      fragments.flatMap(\.parameters)
    )
  }

  /// Pieces with commas between them.
  static func list(_ fragments: [SQLFragment]) -> SQLFragment {
    if fragments.count == 1 { return fragments[0] }
    return SQLFragment(
      fragments.map(\.text).joined(separator: ", "),
      fragments.flatMap(\.parameters)
    )
  }
}

extension Statement {
  /// Binds the parameters of a fragment, from the first on.
  func bind(_ parameters: [SQLParameter]) throws(SQLiteError) {
    for (index, parameter) in parameters.enumerated() {
      switch parameter {
      case .value(let value): try bind(value, at: index + 1)
      case .function(let function): try bind(function, at: index + 1)
      }
    }
  }
}
