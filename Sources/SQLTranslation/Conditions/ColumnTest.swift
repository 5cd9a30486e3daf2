import Foundation
import StoreProtocol

/// The ways in which the values of a term compare in SQL.
package enum Exactness {
  /// As in Swift.
  case exact

  /// As in Swift with the store's collation: strings that may not be composed.
  case byCollation

  /// As in Swift if blobs that represent NaN and -0.0 are taken into account.
  case withCare
}

/// A comparison of a column's value with a constant, which is null if the column is null.
package struct ColumnTest {
  package let comparison: QueryExpression.Comparison
  package let operand: BoundValue
  package let exactness: Exactness
  package let dialect: any SQLDialect

  /// Returns the test of a column or another expression.
  package func callAsFunction(_ column: SQLFragment) -> SQLFragment {
    switch exactness {
    case .exact: plain(column)
    case .byCollation:
      comparison == .equal && operand.isOneSpelling
        ? plain(column) : plain("\(column)\(dialect.swiftCollation)")
    case .withCare: dialect.carefulTest(self, column)
    }
  }

  /// Returns the test for values that all compare as in Swift.
  package func plain(_ column: SQLFragment) -> SQLFragment {
    "\(column) \(comparison.sqlOperator) \(bind: operand)"
  }
}

extension BoundValue {
  /// Whether no other string is equal to this one in Swift, so that a comparison of bytes suffices.
  ///
  /// Three ASCII characters have another spelling: the Kelvin sign, the Greek question mark and the
  /// Greek varia. A combining mark after any letter makes another character of it.
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

  /// The comparison that holds if this one fails, for values that have an order.
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
