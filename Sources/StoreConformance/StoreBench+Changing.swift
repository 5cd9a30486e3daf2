import StoreProtocol

extension StoreBench {
  @discardableResult
  func save(
    inserting inserted: [DefaultSnapshot] = [],
    updating updated: [StoreUpdate] = [],
    deleting deleted: [PersistentIdentifier] = [],
    expecting versions: [PersistentIdentifier: Int64] = [:]
  ) throws -> StoreChangesResult {
    let changes = StoreChanges(
      inserted: inserted,
      updated: updated,
      deleted: deleted,
      expectedVersions: versions
    )
    return try store.apply(changes)
  }

  /// Saves new records and returns their permanent identifiers, in order.
  func insert(_ records: [DefaultSnapshot]) throws -> [PersistentIdentifier] {
    let result = try save(inserting: records)
    return try records.map { try result.identifier(of: $0) }
  }

  /// Saves one new record and returns its permanent identifier.
  @discardableResult
  func insert(
    _ entity: String,
    _ values: [String: StoreValue] = [:]
  ) throws -> PersistentIdentifier {
    let record = try Sample.record(entity, values)
    return try save(inserting: [record]).identifier(of: record)
  }

  /// Saves new records of an entity with only a name.
  func insert(_ entity: String, named names: [String]) throws -> [PersistentIdentifier] {
    try insert(names.map { try Sample.record(entity, ["name": .string($0)]) })
  }

  /// Saves new values of a row.
  func update(_ identifier: PersistentIdentifier, _ values: [String: StoreValue]) throws {
    try save(updating: [Sample.update(identifier, values)])
  }

  func delete(_ identifiers: PersistentIdentifier...) throws { try save(deleting: identifiers) }
}

extension StoreChangesResult {
  /// Returns the permanent identifier of a new record.
  func identifier(of record: DefaultSnapshot) throws -> PersistentIdentifier {
    let temporary = record.persistentIdentifier
    guard let permanent = remapped[temporary] else {
      throw RuleViolation(
        "the result of a save with the new record \(temporary)",
        expected: "its permanent identifier in `remapped`",
        found: "\(remapped.count) other identifiers"
      )
    }
    return permanent
  }

  /// Returns the permanent identifiers of all new rows of a batch, in order.
  func identifiers(
    of changes: StoreChanges,
    in store: any RecordStore
  ) throws -> [PersistentIdentifier] {
    try changes.insertions.enumerated().flatMap { index, run in
      var key = firstKeys.indices.contains(index) ? firstKeys[index] : nil
      return try run.identifiers.map { temporary in
        if let permanent = remapped[temporary] { return permanent }
        guard let own = key else {
          throw RuleViolation(
            "the result of a save with the new row \(temporary)",
            expected: "its key in `firstKeys`, or its permanent identifier in `remapped`",
            found: "\(firstKeys.count) keys"
          )
        }
        key = own + 1
        return PersistentIdentifier(.integer(own), of: run.entityName, in: store.identifier)
      }
    }
  }
}
