import StoreProtocol

/// A constant as SQL compares it with the values of a column.
package enum Operand {
  /// Compared by SQL's operators, order included.
  case ordered(BoundValue)

  /// Compared for equality alone: the order of the stored form has no meaning.
  case equatable(BoundValue)

  /// A value that no row can have.
  case foreign

  /// The value that SQL compares with, or `nil` for a foreign one.
  package var value: BoundValue? {
    switch self {
    case .ordered(let value), .equatable(let value): value
    case .foreign: nil
    }
  }
}

extension SQLDialect {
  /// Returns a value as it is compared with a column's, or `nil` if SQL compares the two
  /// differently.
  package func operand(_ value: StoreValue, for content: ColumnMap.Content) -> Operand? {
    switch content {
    case .reference(let table, _):
      guard case .identifier(let identifier) = value else { return nil }
      return key(identifier, in: table).map { .ordered(.integer($0)) } ?? .foreign
    case .value(let type): return operand(value, type)
    case .order: return nil
    }
  }
}
