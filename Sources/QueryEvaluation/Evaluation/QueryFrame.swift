import StoreProtocol

/// An error that ends the evaluation of a row where Swift would trap; the row does not match.
enum QueryTrap: Error {
  /// Overflow, division by zero, unwrapped nil, an index out of range, or an inverted range.
  case noValue
}

/// The values of the variables that an expression binds; the row itself is variable 0.
final class QueryFrame<Row: QueryRow> {
  private struct Slot {
    var value: StoreValue = .null
    var row: Row?
    var isResolved = false
  }

  private var slots: [Slot]
  private let lookUp: (PersistentIdentifier) throws -> Row?

  init(variables: Int, lookUp: @escaping (PersistentIdentifier) throws -> Row?) {
    slots = Array(repeating: Slot(), count: variables)
    self.lookUp = lookUp
  }

  func bind(_ variable: Int, to value: StoreValue) {
    slots[variable].value = value
    slots[variable].row = nil
    slots[variable].isResolved = false
  }

  func value(of variable: Int) -> StoreValue { slots[variable].value }

  /// Returns the row of a variable, or `nil` if its value is not an object or its row was deleted.
  func row(of variable: Int) throws -> Row? {
    if slots[variable].isResolved { return slots[variable].row }
    guard case .identifier(let identifier) = slots[variable].value else { return nil }
    let row = try lookUp(identifier)
    slots[variable].row = row
    slots[variable].isResolved = true
    return row
  }

  func row(of identifier: PersistentIdentifier) throws -> Row? { try lookUp(identifier) }
}
