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

  /// Returns the identifier of the save that the position after a number has seen last.
  ///
  /// - Parameter number: A number from ``HistoryBounds/cut`` to ``HistoryBounds/last``.
  /// - Returns: That of the last transaction up to the number, ``HistoryBounds/cutSave`` where there is
  ///   none behind the cut, or `nil` if the store does not know it.
  /// - Throws: What reading throws.
  func saveIdentifier(at number: Int64) throws -> UUID?

  /// Returns the position of each named reader, by rising names.
  ///
  /// - Throws: What reading throws.
  func historyReaders() throws -> [HistoryReaderPosition]

  /// Keeps the position of a reader, in place of the one that it had.
  ///
  /// ``StoreChanges/readers`` does the same as a part of a save.
  ///
  /// - Throws: What a save throws; the reader has its former position then.
  func setHistoryReader(_ position: HistoryReaderPosition) throws

  /// Forgets a reader, so that the history keeps nothing for it.
  ///
  /// - Parameter name: The name, in any form.
  /// - Throws: What a save throws. A reader that the store does not know is no error.
  func removeHistoryReader(_ name: String) throws
}

extension HistoryKeeping {
  /// The position behind the last save.
  public func currentHistoryToken() throws -> DefaultHistoryToken {
    let bounds = try historyBounds()
    return DefaultHistoryToken(identifier, bounds.last, save: bounds.lastSave)
  }

  /// Refuses a position from which the history does not go on without a gap.
  ///
  /// Asked after transactions were read, it also finds out what was forgotten meanwhile.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` for a position before the cut,
  ///   ``SwiftDataError/historyTokenDiverged`` for one of another past, and what reading throws.
  package func checkHistory(after token: DefaultHistoryToken) throws {
    guard token.hasPositions else { return }
    let (position, seen) = token[identifier]
    // Before the bounds: what is forgotten in between is then before the cut.
    let own = seen == nil ? nil : try saveIdentifier(at: position)
    let bounds = try historyBounds()
    if position < bounds.cut {
      throw SwiftDataError.historyTokenExpired.with(
        "the history of the store goes back to transaction \(bounds.cut + 1) only, and the token "
          + "has seen those up to \(position); read what you need anew and take a new token"
      )
    }
    if position > bounds.last {
      throw SwiftDataError.historyTokenDiverged.with(
        "the token has seen transaction \(position) and the store has had \(bounds.last) saves: it was "
          + "put back to an earlier state, so that they have at most the first \(bounds.last) in common; "
          + "read what you need anew and take a new token"
      )
    }
    if position > 0, let seen, let own, seen != own {
      throw SwiftDataError.historyTokenDiverged.with(
        "the token has seen save \(seen) as the last up to number \(position), where the store has "
          + "\(own): a backup was put back or the file exchanged, and other saves followed; read what "
          + "you need anew and take a new token"
      )
    }
  }

  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    let request = HistoryRequest(descriptor, store: identifier)
    let found = try transactions(request.query)
    try request.check(self)
    return try request.answer(found, schema: schema)
  }

  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    let request = HistoryRequest(descriptor, store: identifier)
    try request.check(self)
    if request.isAnswered, descriptor.fetchLimit == 0 {
      return try deleteTransactions(request.query.filter)
    }
    let found = try request.answer(transactions(request.query), schema: schema)
    guard !found.isEmpty else { return }
    try deleteTransactions(.numbers(Set(found.map(\.transactionIdentifier))))
  }
}
