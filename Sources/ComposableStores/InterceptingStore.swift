import Foundation
import StoreProtocol

/// A wrapping store whose requests all go through one function.
public protocol InterceptingStore: WrappingStore {
  /// Performs a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - body: Sends the request to the wrapped store, and returns the result with its number of
  ///     rows; for identifiers and related objects, their number; for a save, the rows that it names.
  /// - Returns: The result.
  /// - Throws: Errors of the body, or of the store itself.
  func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value
}

extension InterceptingStore {
  public func count(_ query: StoreQuery) throws -> Int {
    try perform(.count(query)) { (try base.count(query), 0) }
  }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    try perform(StoreRequest(reading: query)) {
      var rows = 0
      try base.read(query) {
        rows += 1
        try body($0)
      }
      return ((), rows)
    }
  }

  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try perform(.select(selection)) {
      var rows = 0
      try base.select(selection) {
        rows += 1
        try body($0)
      }
      return ((), rows)
    }
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    try perform(.members(property: property, entity: entity, owners: owners)) {
      let found = StoreMembers.listed(try base.members(of: property, in: entity, owners: owners))
      return (found, found.listedCount)
    }
  }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try perform(.save(changes)) {
      let result = try base.apply(changes)
      var rows = result.updated.count + result.deleted.count + changes.deleted.count
      for run in changes.insertions { rows += run.count }
      for run in changes.updates { rows += run.count }
      return (result, rows)
    }
  }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try perform(.outcome(identifier)) { (try base.outcome(ofSave: identifier), 0) }
  }

  public func erase() throws { try perform(.erase) { (try base.erase(), 0) } }
}

extension InterceptingStore where Base: HistoryKeeping {
  /// Returns transactions of the wrapped store's history, as a request.
  public func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction] {
    try perform(.history(query)) {
      let transactions = try base.transactions(query)
      return (transactions, transactions.count)
    }
  }
}

extension StoreMembers {
  /// The number of related objects that are listed.
  var listedCount: Int {
    guard case .listed(let members) = self else { return 0 }
    return members.values.reduce(0) { $0 + $1.count }
  }
}
