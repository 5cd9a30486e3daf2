import Foundation

/// A fragment of SQL with the values of its parameters, in order.
///
/// Written as a string with other fragments in it: `"\(term) IS NULL"`. Plain strings in it are
/// names of the schema or of the store; values of a program are always bound.
///
/// The text is SQLite's. Other dialects number its parameters (`?`) and replace its Boolean values
/// by TRUE and FALSE (``numbered``). These are the bare words 1 and 0 except after LIMIT.
package struct SQLFragment: Hashable, Sendable {
  package var text: String
  package var parameters: [SQLParameter]

  package init(_ text: String, _ parameters: [SQLParameter] = []) {
    self.text = text
    self.parameters = parameters
  }

  package static let always = SQLFragment("1")
  package static let never = SQLFragment("0")
}

/// The argument of a statement's parameter.
package enum SQLParameter: Hashable, Sendable {
  case value(BoundValue)
  case function(RowCallback)
}

/// A value for a parameter, in a form that the dialect's database compares.
package enum BoundValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case decimal(Decimal)
  case text(String)
  case blob(Data)
  case uuid(UUID)
  /// Values of one kind, at least one.
  case list([BoundValue])
}

/// Code that SQL calls back, in the database's own representation.
package struct RowCallback: Hashable, Sendable {
  package let function: any AnyObject & Sendable

  package init(_ function: any AnyObject & Sendable) { self.function = function }

  package static func == (lhs: Self, rhs: Self) -> Bool { lhs.function === rhs.function }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(function)) }
}

extension SQLFragment: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) { self.init(value) }

  package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.fragment }

  /// Joins fragments.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var fragment = SQLFragment("")

    package init(literalCapacity: Int, interpolationCount: Int) {
      fragment.text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    package mutating func appendLiteral(_ literal: String) { fragment.text += literal }

    package mutating func appendInterpolation(_ name: String) { fragment.text += name }

    package mutating func appendInterpolation(_ other: SQLFragment) {
      fragment.text += other.text
      fragment.parameters += other.parameters
    }

    /// Appends a parameter for a value.
    package mutating func appendInterpolation(bind value: BoundValue) {
      fragment.text += "?"
      fragment.parameters.append(.value(value))
    }

    /// Appends a parameter for a row function.
    package mutating func appendInterpolation(bind function: RowCallback) {
      fragment.text += "?"
      fragment.parameters.append(.function(function))
    }
  }
}

/// Combinations of conditions. A condition that is null counts as false, so there is no NOT here:
/// the translator translates the opposite of each condition instead.
extension SQLFragment {
  /// Returns the condition that all of some conditions hold.
  package static func all(_ conditions: [SQLFragment]) -> SQLFragment {
    if conditions.count == 1 { return conditions[0] }
    if conditions.contains(.never) { return .never }
    let left = conditions.filter { $0 != .always }
    return left.isEmpty ? .always : joined(left, by: "AND")
  }

  /// Returns the condition that any of some conditions holds.
  package static func any(_ conditions: [SQLFragment]) -> SQLFragment {
    if conditions.count == 1 { return conditions[0] }
    if conditions.contains(.always) { return .always }
    let left = conditions.filter { $0 != .never }
    return left.isEmpty ? .never : joined(left, by: "OR")
  }

  /// Returns several conditions as one.
  ///
  /// Up to a length that is far from SQLite's limit on depth they form one flat list, for which the
  /// planner can use indexes. Longer ones are split into halves, since SQLite parses a flat list of
  /// *n* to a tree of depth *n*.
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

  /// Returns fragments separated by commas.
  package static func list(_ fragments: [SQLFragment]) -> SQLFragment {
    if fragments.count == 1 { return fragments[0] }
    return SQLFragment(
      fragments.map(\.text).joined(separator: ", "),
      fragments.flatMap(\.parameters)
    )
  }
}

extension SQLFragment {
  /// The text with numbered parameters, and with TRUE and FALSE for the bare words 1 and 0.
  package var numbered: String { rendered { "$\($0 + 1)" } }

  /// Returns the text with an expression for each parameter, and with TRUE and FALSE for the bare
  /// words 1 and 0.
  package func rendered(_ expression: (_ parameter: Int) -> String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 16)
    var quote: UInt8?
    var count = 0
    var start = 0
    var followsLimit = false
    func endWord(_ end: Int) {
      let word = bytes[start..<end]
      start = end + 1
      guard let first = word.first else { return }
      if word.count == 1, !followsLimit, first == UInt8(ascii: "1") || first == UInt8(ascii: "0") {
        result += (first == UInt8(ascii: "1") ? "TRUE" : "FALSE").utf8
      } else {
        result += word
      }
      followsLimit = word.elementsEqual("LIMIT".utf8)
    }
    for (index, byte) in bytes.enumerated() {
      if let current = quote {
        result.append(byte)
        start = index + 1
        if byte == current { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), 0x80...:
        continue
      case UInt8(ascii: "?"):
        endWord(index)
        result += expression(count).utf8
        count += 1
      default:
        endWord(index)
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
        result.append(byte)
      }
    }
    endWord(bytes.count)
    return String(decoding: result, as: UTF8.self)
  }
}
