/// Records as a producer of new rows.
struct RecordRows: RowProducer {
  let records: [DefaultSnapshot]

  func write(_ position: Int, to writer: RowWriter) {
    for (index, value) in records[position].values.enumerated() { writer.write(value, at: index) }
  }

  /// Returns the rows with their values by the indices of an entity's properties.
  func aligned(to entity: StoreEntity) -> RecordRows {
    if records.allSatisfy({ $0.isAligned(to: entity) }) { return self }
    return RecordRows(
      records: records.map { record in
        DefaultSnapshot(
          persistentIdentifier: record.persistentIdentifier,
          entity: entity,
          values: entity.properties.map { record[$0.name] ?? .null }
        )
      }
    )
  }
}

/// Changed values of rows as a producer.
private struct UpdateRows: RowProducer {
  let updates: [StoreUpdate]

  func write(_ position: Int, to writer: RowWriter) {
    for change in updates[position].changes { writer.write(change.value, at: change.index) }
  }
}

extension RowRun {
  /// Creates the runs of new rows from their records.
  static func runs(of records: [DefaultSnapshot]) -> [RowRun] {
    runs(records, \.persistentIdentifier, { _, _ in true }) { records in
      RowRun(
        RowIdentifiers(records.map(\.persistentIdentifier)),
        RecordRows(records: records)
      )
    }
  }

  /// Creates the runs of changed rows from their values.
  package static func runs(of updates: [StoreUpdate]) -> [RowRun] {
    runs(updates, \.identifier, { $0.changes.hasIndices(of: $1.changes) }) { updates in
      let properties = updates.first?.changes.map(\.index) ?? []
      return RowRun(
        RowIdentifiers(updates.map(\.identifier)),
        changing: properties,
        UpdateRows(updates: updates)
      )
    }
  }

  private static func runs<Row>(
    _ rows: [Row],
    _ identifier: (Row) -> PersistentIdentifier,
    _ fit: (Row, Row) -> Bool,
    _ run: ([Row]) -> RowRun
  ) -> [RowRun] {
    var runs: [RowRun] = []
    var start = 0
    while start < rows.count {
      let scope = identifier(rows[start]).scope
      var end = start + 1
      while end < rows.count, identifier(rows[end]).scope == scope, fit(rows[start], rows[end]) {
        end += 1
      }
      runs.append(run(Array(rows[start..<end])))
      start = end
    }
    return runs
  }

  private init(
    _ identifiers: RowIdentifiers,
    changing properties: [Int] = [],
    _ producer: any RowProducer
  ) {
    self.identifiers = identifiers
    self.properties = properties
    self.producer = producer
    entity = nil
    storeIdentifier = nil
    needsNames = true
  }

  /// The run with new rows as records.
  func recordedInsertion(_ names: NewRowNames) -> RowRun {
    RowRun(identifiers, RecordRows(records: records(names)))
  }

  /// The run with changed rows as values.
  func recordedUpdate(_ names: NewRowNames) -> RowRun {
    RowRun(identifiers, changing: properties, UpdateRows(updates: updates(names)))
  }

  /// The new rows as records.
  package var records: [DefaultSnapshot] { records(NewRowNames([])) }

  func records(_ names: NewRowNames) -> [DefaultSnapshot] {
    if let rows = producer as? RecordRows { return rows.records }
    return map(names) { identifier, writer in
      DefaultSnapshot(
        persistentIdentifier: identifier,
        entity: writer.entity,
        values: writer.values
      )
    }
  }

  /// The changed rows, each with its new values.
  package var updates: [StoreUpdate] { updates(NewRowNames([])) }

  func updates(_ names: NewRowNames) -> [StoreUpdate] {
    if let rows = producer as? UpdateRows { return rows.updates }
    return map(names) { identifier, writer in
      StoreUpdate(
        identifier: identifier,
        changes: properties.map { StoreUpdate.Change($0, writer.values[$0]) }
      )
    }
  }

  private func map<Row>(
    _ names: NewRowNames,
    _ row: (PersistentIdentifier, RecordWriter) -> Row
  ) -> [Row] {
    guard let entity else { return [] }
    let writer = RecordWriter(entity, in: storeIdentifier, names)
    return identifiers.enumerated().map { position, identifier in
      writer.read(position, of: producer)
      return row(identifier, writer)
    }
  }
}

extension [StoreUpdate.Change] {
  fileprivate func hasIndices(of other: Self) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.index == $1.index }
  }
}
