/// A row reader over records, for any store.
package final class SnapshotReader: RowReader {
  private let schema: StoreSchema
  fileprivate var record: DefaultSnapshot?
  private var positions: [Int?] = []
  private var positionsAreIdentity = true

  /// Creates a reader for records of a schema.
  package init(schema: StoreSchema) {
    self.schema = schema
    super.init()
  }

  /// Moves to a record.
  ///
  /// - Throws: `DataStoreError.schemaMismatch` if the schema lacks the record's entity.
  package func move(to record: DefaultSnapshot) throws {
    let name = record.persistentIdentifier.entityName
    if entity.name != name || self.record?.names !== record.names {
      guard let found = schema.entity(named: name) else {
        throw DataStoreError(
          .schemaMismatch,
          "the store returned a row of an entity that the schema lacks",
          entity: name
        )
      }
      entity = found
      positionsAreIdentity = record.names == found.propertyNames
      positions = []
      if !positionsAreIdentity {
        positions = found.properties.map { record.names.index(of: $0.name) }
      }
    }
    self.record = record
    identifier = record.persistentIdentifier
  }

  override package var version: Int64 { record?.version ?? 0 }

  override package func value(at index: Int) throws -> StoreValue {
    guard let record else { return .null }
    let position =
      positionsAreIdentity ? index : positions.indices.contains(index) ? positions[index] : nil
    guard let position, record.values.indices.contains(position) else { return .null }
    return record.values[position]
  }
}

extension RowReader {
  /// Returns the current row as a record: that of a ``SnapshotReader``, otherwise the values of all
  /// properties.
  package func record() throws -> DefaultSnapshot {
    if let record = (self as? SnapshotReader)?.record { return record }
    var record = DefaultSnapshot(
      persistentIdentifier: identifier,
      entity: entity,
      values: try entity.properties.indices.map { try value(at: $0) }
    )
    record.version = version
    return record
  }
}
