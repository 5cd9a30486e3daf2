import StoreProtocol

extension UpdateProducer {
  /// Returns the changes in the form of `StoreChanges.updated`.
  ///
  /// - Parameter scope: The scope of the rows' identifiers.
  /// - Returns: One update for each row, in the order of `keys`.
  /// - Throws: The error of a value that cannot be written.
  public func updates(in scope: PersistentIdentifier.Scope) throws -> [StoreUpdate] {
    let collector = ChangeCollector()
    return try keys.enumerated().map { position, key in
      StoreUpdate(
        identifier: PersistentIdentifier(scope: scope, key: .integer(key)),
        changes: try collector.changes(position, of: self)
      )
    }
  }
}

/// A writer that collects the changed values of one row.
private final class ChangeCollector: RowWriter {
  private var changes: [StoreUpdate.Change] = []

  func changes(_ position: Int, of source: any UpdateProducer) throws -> [StoreUpdate.Change] {
    changes = []
    source.write(position, to: self)
    if let failure { throw failure.error }
    return changes
  }

  override func write(_ value: StoreValue, at index: Int) {
    changes.append(StoreUpdate.Change(index, value))
  }
}
