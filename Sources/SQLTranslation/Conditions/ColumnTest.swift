import Foundation
import StoreProtocol

/// How the values of a term compare in SQL.
package enum Exactness {
  /// As in Swift.
  case exact

  /// As in Swift by the collation of the store: texts that may not be composed.
  case byCollation

  /// As in Swift with care for blobs that stand for NaN and -0.0.
  case withCare
}

/// A comparison of a column's value that is there with a known one, null where it is absent.
package struct ColumnTest {
  package let comparison: QueryExpression.Comparison
  package let operand: BoundValue
  package let exactness: Exactness
  package let dialect: any SQLDialect

  /// The test of a column or another text.
  package func callAsFunction(_ column: SQLFragment) -> SQLFragment {
    switch exactness {
    case .exact: plain(column)
    case .byCollation:
      comparison == .equal && operand.isOneSpelling
        ? plain(column) : plain("\(column)\(dialect.swiftCollation)")
    case .withCare: dialect.carefulTest(self, column)
    }
  }

  /// The test as of values that all compare as in Swift.
  package func plain(_ column: SQLFragment) -> SQLFragment {
    SQLFragment(
      column.text + comparison.sqlOperatorAndMark,
      column.parameters + [.value(operand)]
    )
  }
}

extension BoundValue {
  /// Whether no other text is equal to this one in Swift: then its bytes decide.
  ///
  /// Three characters of ASCII have another spelling: the Kelvin sign, the Greek question mark and
  /// the Greek varia. A mark that follows makes another character of any letter.
  package var isOneSpelling: Bool {
    guard case .text(let text) = self else { return false }
    return text.utf8.allSatisfy {
      $0 < 0x80 && $0 != UInt8(ascii: "K") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "`")
    }
  }
}

extension QueryExpression.Comparison {
  package var sqlOperator: String {
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
  package var opposite: Self {
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
