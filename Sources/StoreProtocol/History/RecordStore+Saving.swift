extension RecordStore {
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let updates = request.updated.map { record in
      StoreUpdate(
        identifier: record.persistentIdentifier,
        changes: record.values.enumerated().map { StoreUpdate.Change($0, $1) }
      )
    }
    let result = try apply(
      StoreChanges(
        inserted: request.inserted,
        updated: updates,
        deleted: request.deleted.map(\.persistentIdentifier),
        editingState: request.editingState
      )
    )
    let isInHistory = result.isInHistory && result.version > 0 && self is any HistoryKeeping
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: result.remapped,
      historyToken: isInHistory ? DefaultHistoryToken(identifier, result.version) : nil
    )
  }
}
