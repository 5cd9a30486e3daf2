import StoreProtocol

/// An error that ends the evaluation of a row where Swift would trap; the row does not match.
enum QueryTrap: Error {
  /// Overflow, division by zero, unwrapped nil, an index out of range, or an inverted range.
  case noValue
}

/// The values of the variables that an expression binds; the row itself is variable 0.
final class QueryFrame<Row: QueryRow> {
  /// The functions that find other rows and related objects.
  typealias Rows = (PersistentIdentifier) throws -> Row?
  typealias Members = (Row, Int) throws -> [PersistentIdentifier]

  private struct Slot {
    var value: StoreValue = .null
    var row: Row?
    var isResolved = false
  }

  private struct MembersKey: Hashable {
    let owner: PersistentIdentifier
    let index: Int
  }

  private var slots: [Slot]
  private let lookUp: Rows
  private let listMembers: Members
  /// Whether to keep what was read until the evaluation of the next row.
  ///
  /// A store may read each row and each relationship by a query. Hundreds of conditions on the same
  /// ones must not repeat it, while a few are faster without the tables.
  private let keepsReads: Bool
  private var rows: [PersistentIdentifier: Row?] = [:]
  private var members: [MembersKey: StoreValue] = [:]

  init(
    variables: Int,
    keepsReads: Bool,
    lookUp: @escaping Rows,
    members: @escaping Members
  ) {
    slots = Array(repeating: Slot(), count: variables)
    self.keepsReads = keepsReads
    self.lookUp = lookUp
    listMembers = members
  }

  /// Begins the evaluation of a row.
  func begin() {
    guard keepsReads else { return }
    rows.removeAll()
    members.removeAll()
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
    let row = try row(of: identifier)
    slots[variable].row = row
    slots[variable].isResolved = true
    return row
  }

  func row(of identifier: PersistentIdentifier) throws -> Row? {
    guard keepsReads else { return try lookUp(identifier) }
    if let known = rows[identifier] { return known }
    let row = try lookUp(identifier)
    rows[identifier] = .some(row)
    return row
  }

  /// Returns the related objects of a to-many property of a row, in order.
  func members(of row: Row, _ index: Int) throws -> StoreValue {
    guard keepsReads else { return .identifiers(try listMembers(row, index)) }
    let key = MembersKey(owner: row.identifier, index: index)
    if let known = members[key] { return known }
    let list = StoreValue.identifiers(try listMembers(row, index))
    members[key] = list
    return list
  }
}
