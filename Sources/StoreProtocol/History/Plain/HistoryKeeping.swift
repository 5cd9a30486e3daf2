import Foundation

/// A store written the plain way that remembers what its saves changed.
///
/// ``HistoryProviding`` follows from these requirements, with ``DefaultHistoryTransaction``. A
/// transaction is kept in the save itself: it is there exactly when the save is.
public protocol HistoryKeeping: RecordStore, HistoryProviding
where HistoryType == DefaultHistoryTransaction {
  /// The transactions that a query asks for.
  ///
  /// - Throws: What reading throws.
  /// - Complexity: O(*n*) in the transactions that are looked at and the changes of those given.
  func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction]

  /// Forgets transactions; tokens of positions before the last of them expire.
  ///
  /// - Parameter filter: Which ones, nil for all.
  /// - Throws: What a save throws; nothing is forgotten then.
  func deleteTransactions(_ filter: StoreHistoryFilter?) throws

  /// From where to where the history goes.
  func historyBounds() throws -> HistoryBounds
}

extension HistoryKeeping {
  /// The position behind the last save.
  public func currentHistoryToken() throws -> DefaultHistoryToken {
    DefaultHistoryToken(tokenValue: [identifier: try historyBounds().last])
  }

  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    let request = HistoryRequest(descriptor, store: identifier)
    let found = try transactions(request.query)
    try request.check(historyBounds())
    return try request.answer(found, schema: schema)
  }

  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    let request = HistoryRequest(descriptor, store: identifier)
    try request.check(historyBounds())
    if request.isAnswered, descriptor.fetchLimit == 0 {
      return try deleteTransactions(request.query.filter)
    }
    let found = try request.answer(transactions(request.query), schema: schema)
    guard !found.isEmpty else { return }
    try deleteTransactions(.numbers(Set(found.map(\.transactionIdentifier))))
  }
}
