import StoreProtocol

/// Writes the rows of one store to another with another schema, by fetch and save alone.
struct RowRewriting {
  private let source: ContainerCore
  private let difference: SchemaDifference
  private let change: StructureChange
  /// The number of rows that were written.
  private(set) var written = 0
  /// The number of rows that were left out with their entities.
  private(set) var removed = 0

  init(source: ContainerCore, difference: SchemaDifference, change: StructureChange) {
    self.source = source
    self.difference = difference
    self.change = change
  }

  /// Returns the rows that prevent the change.
  func violations() throws -> [SchemaViolation] { try checkedConverter().violations }

  /// Writes all rows.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the obstacle, before the first row.
  mutating func run(to target: ContainerCore, progress: StructureProgress) throws {
    let converter = try checkedConverter()
    if let first = converter.violations.first { throw first.error(difference, file: nil) }
    var copy = StoreCopy(from: source, to: target, converter: converter)
    do {
      try copy.run(progress: progress)
    } catch let error as StoreCopy.MergedRows {
      throw equalValues(of: error.entity)
    }
    (written, removed) = (copy.written, copy.total - copy.written)
  }

  /// Returns a converter that has converted all rows once.
  private func checkedConverter() throws -> RecordConverter {
    var converter = RecordConverter(difference, change)
    if converter.needsAllRecords { try forEachRow { converter.note($0) } }
    try forEachRow { _ = converter.converted($0) }
    return converter
  }

  /// Calls a body with each row, with the elements of its relationships.
  private func forEachRow(_ body: (DefaultSnapshot) -> Void) throws {
    for root in difference.old.entities where root.superentity == nil {
      let store = try source.store(keeping: root.name)
      var batch: [DefaultSnapshot] = []
      func take() throws {
        try store.withMembers(batch).forEach(body)
        batch.removeAll(keepingCapacity: true)
      }
      try store.readRows(of: .all(of: root.name)) { reader in
        batch.append(try StoreCopy.record(reader))
        if batch.count == StoreCopy.batchSize { try take() }
      }
      try take()
    }
  }

  private func equalValues(of entity: String) -> DataStoreError {
    SchemaViolation.equal(
      difference.new.entity(named: entity)?.uniquenessConstraints.first ?? [],
      of: entity,
      count: 1,
      example: nil
    )
    .error(difference, file: nil)
  }
}
