import Foundation

/// A plain-value store that records the changes of its saves.
///
/// These requirements provide ``HistoryProviding``, with ``DefaultHistoryTransaction``. A
/// transaction is part of its save: it is stored exactly if the save is.
public protocol HistoryKeeping: RecordStore, HistoryProviding
where HistoryType == DefaultHistoryTransaction {
  /// Returns the transactions that match a query.
  ///
  /// - Throws: The errors of reading.
  /// - Complexity: O(*n*) in the examined transactions and the changes of the returned ones.
  func transactions(_ query: StoreHistoryQuery) throws -> [StoreTransaction]

  /// Deletes transactions; tokens of positions before the last of them expire.
  ///
  /// - Parameter filter: The transactions to delete, or `nil` for all.
  /// - Throws: The errors of a save; then nothing is deleted.
  func deleteTransactions(_ filter: StoreHistoryFilter?) throws

  /// Returns the range of the history.
  func historyBounds() throws -> HistoryBounds

  /// Returns the identifier of the last save at or before a number.
  ///
  /// - Parameter number: A number from `HistoryBounds.cut` to `HistoryBounds.last`.
  /// - Returns: The identifier of the last transaction up to the number, or
  ///   `HistoryBounds.cutSave` if there is none after the cut, or `nil` if it is unknown.
  /// - Throws: The errors of reading.
  func saveIdentifier(at number: Int64) throws -> UUID?

  /// Returns the position of each named reader, ordered by name.
  ///
  /// - Throws: The errors of reading.
  func historyReaders() throws -> [HistoryReaderPosition]

  /// Sets the position of a reader, replacing its previous position.
  ///
  /// ``StoreChanges/readers`` does this as part of a save.
  ///
  /// - Throws: The errors of a save; then the reader keeps its previous position.
  func setHistoryReader(_ position: HistoryReaderPosition) throws

  /// Removes a reader, so that the history retains nothing for it.
  ///
  /// - Parameter name: The name, in any Unicode normalization form.
  /// - Throws: The errors of a save. An unknown reader is not an error.
  func removeHistoryReader(_ name: String) throws
}

extension HistoryKeeping {
  /// Returns the position after the last save.
  package func currentHistoryToken() throws -> DefaultHistoryToken {
    let bounds = try historyBounds()
    return DefaultHistoryToken(identifier, bounds.last, save: bounds.lastSave)
  }

  /// Throws for a position from which the history does not continue without a gap.
  ///
  /// A call after reading transactions also detects those that were deleted meanwhile.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` for a position before the cut,
  ///   ``SwiftDataError/historyTokenDiverged`` for a position of another history, and the errors of
  ///   reading.
  package func checkHistory(after token: DefaultHistoryToken) throws {
    guard token.hasPositions else { return }
    let (position, seen) = token[identifier]
    // Read before the bounds: anything that is deleted in between is then before the cut.
    let own = seen == nil ? nil : try saveIdentifier(at: position)
    let bounds = try historyBounds()
    if position < bounds.cut {
      throw SwiftDataError.historyTokenExpired.with(
        "the history of the store begins at transaction \(bounds.cut + 1), and the token is at "
          + "\(position); read all rows again and take a new token"
      )
    }
    if position > bounds.last {
      throw SwiftDataError.historyTokenDiverged.with(
        "the token is at transaction \(position), and the store's last one is \(bounds.last): the "
          + "store was restored to an earlier state; read all rows again and take a new token"
      )
    }
    if position > 0, let seen, let own, seen != own {
      throw SwiftDataError.historyTokenDiverged.with(
        "transaction \(position) is the save \(seen) in the token and \(own) in the store: a "
          + "backup was restored or the file replaced, and other saves followed; read all rows "
          + "again and take a new token"
      )
    }
  }

  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    let request = HistoryRequest(descriptor, store: identifier)
    let found = try transactions(request.query)
    try request.check(self)
    return try request.evaluate(found, schema: schema)
  }

  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    let request = HistoryRequest(descriptor, store: identifier)
    try request.check(self)
    if request.isFullyEvaluated, descriptor.fetchLimit == 0 {
      return try deleteTransactions(request.query.filter)
    }
    let found = try request.evaluate(transactions(request.query), schema: schema)
    guard !found.isEmpty else { return }
    try deleteTransactions(.numbers(Set(found.map(\.transactionIdentifier))))
  }
}
