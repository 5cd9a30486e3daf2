import Foundation
import StoreProtocol

/// How the values of a term compare in SQL.
enum Exactness {
  /// As in Swift.
  case exact

  /// As in Swift by the collation of the store: texts that may not be composed.
  case byCollation

  /// As in Swift with care for blobs that stand for NaN and -0.0.
  case withCare
}

/// A comparison of a column's value that is there with a known one, null where it is absent.
struct ColumnTest {
  private static let negativeZero = SQLValue(exactly: -0.0)

  let comparison: QueryExpression.Comparison
  let operand: SQLValue
  let exactness: Exactness

  /// The test of a column or another text.
  func callAsFunction(_ column: SQLFragment) -> SQLFragment {
    switch exactness {
    case .exact: plain(column)
    case .byCollation:
      comparison == .equal && operand.isOneSpelling
        ? plain(column) : plain("\(column) COLLATE \(SwiftText.collation)")
    case .withCare: careful(column)
    }
  }

  private func plain(_ column: SQLFragment) -> SQLFragment {
    SQLFragment(
      column.text + comparison.sqlOperatorAndMark,
      column.parameters + [.value(operand)]
    )
  }

  // Blobs stand behind all numbers: NaN, of which nothing holds, and -0.0, which is 0.0.
  private func careful(_ column: SQLFragment) -> SQLFragment {
    guard case .real(let number) = operand else { return plain(column) }
    var test = plain(column)
    if comparison == .greater || comparison == .greaterOrEqual {
      test = "\(test) AND typeof(\(column)) <> 'blob'"
    }
    guard comparison.holds(.double(0), .double(number)) else { return test }
    return "(\(test)) OR \(column) = \(bind: Self.negativeZero)"
  }
}

extension SQLValue {
  /// Whether no other text is equal to this one in Swift: then its bytes decide.
  ///
  /// Three characters of ASCII have another spelling: the Kelvin sign, the Greek question mark and
  /// the Greek varia. A mark that follows makes another character of any letter.
  var isOneSpelling: Bool {
    guard case .text(let text) = self else { return false }
    return text.utf8.allSatisfy {
      $0 < 0x80 && $0 != UInt8(ascii: "K") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "`")
    }
  }
}

extension QueryExpression.Comparison {
  var sqlOperator: String {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  /// The operator with a parameter behind it: most conditions are made of it.
  fileprivate var sqlOperatorAndMark: String {
    switch self {
    case .equal: " = ?"
    case .notEqual: " <> ?"
    case .less: " < ?"
    case .lessOrEqual: " <= ?"
    case .greater: " > ?"
    case .greaterOrEqual: " >= ?"
    }
  }

  /// The comparison that holds where this one does not, of values that have an order.
  var opposite: Self {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }
}
