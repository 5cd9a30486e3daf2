import Foundation

/// A piece of SQL with the values that its parameters take, in order.
///
/// Written as a text with other pieces in it: `"\(term) IS NULL"`. Plain texts that stand in it are
/// names of the schema or of the store's own; values of a program are only ever bound.
///
/// The text is SQLite's. Other dialects number its parameters (`?`) and take its truth values, which are
/// the bare words 1 and 0 except behind LIMIT, for Booleans (``numbered``).
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

/// What a parameter of a statement takes.
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

/// Code that SQL calls back, as its database knows it.
package struct RowCallback: Hashable, Sendable {
  package let function: any AnyObject & Sendable

  package init(_ function: any AnyObject & Sendable) { self.function = function }

  package static func == (lhs: Self, rhs: Self) -> Bool { lhs.function === rhs.function }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(function)) }
}

extension SQLFragment: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) { self.init(value) }

  package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.fragment }

  /// Puts pieces together.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var fragment = SQLFragment("")

    package init(literalCapacity: Int, interpolationCount: Int) {
      fragment.text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    package mutating func appendLiteral(_ literal: String) { fragment.text += literal }

    /// A name.
    package mutating func appendInterpolation(_ name: String) { fragment.text += name }

    /// Another piece.
    package mutating func appendInterpolation(_ other: SQLFragment) {
      fragment.text += other.text
      fragment.parameters += other.parameters
    }

    /// A value, as a parameter.
    package mutating func appendInterpolation(bind value: BoundValue) {
      fragment.text += "?"
      fragment.parameters.append(.value(value))
    }

    /// A row function, as a parameter.
    package mutating func appendInterpolation(bind function: RowCallback) {
      fragment.text += "?"
      fragment.parameters.append(.function(function))
    }
  }
}

/// Conditions of conditions. A condition that is null counts as false, so there is no NOT here: the
/// translator says the opposite of each condition instead.
extension SQLFragment {
  /// All of some conditions.
  package static func all(_ conditions: [SQLFragment]) -> SQLFragment {
    if conditions.count == 1 { return conditions[0] }
    if conditions.contains(.never) { return .never }
    let left = conditions.filter { $0 != .always }
    return left.isEmpty ? .always : joined(left, by: "AND")
  }

  /// Any of some conditions.
  package static func any(_ conditions: [SQLFragment]) -> SQLFragment {
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
  package var numbered: String {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count + 16)
    var quote: UInt8?
    var count = 0
    var word: [UInt8] = []
    var last: [UInt8] = []
    func endWord() {
      guard !word.isEmpty else { return }
      let isTruth = word == [UInt8(ascii: "1")] || word == [UInt8(ascii: "0")]
      if isTruth, last != Array("LIMIT".utf8) {
        result += (word == [UInt8(ascii: "1")] ? "TRUE" : "FALSE").utf8
      } else {
        result += word
      }
      last = word
      word = []
    }
    for byte in text.utf8 {
      if let current = quote {
        result.append(byte)
        if byte == current { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), 0x80...:
        word.append(byte)
      case UInt8(ascii: "?"):
        endWord()
        count += 1
        result += "$\(count)".utf8
      default:
        endWord()
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
        result.append(byte)
      }
    }
    endWord()
    return String(decoding: result, as: UTF8.self)
  }
}
