import StoreProtocol

/// A copy of a row from a reader, with the values that it provides.
struct CopiedRow: Sendable {
  let identifier: PersistentIdentifier
  let entity: StoreEntity
  let version: Int64
  /// The values, or `nil` for those that the store left out.
  let values: [StoreValue?]

  init(_ reader: RowReader) throws {
    identifier = reader.identifier
    entity = reader.entity
    version = reader.version
    values = try reader.entity.properties.indices.map {
      reader.isDeferred(at: $0) ? nil : try reader.value(at: $0)
    }
  }
}

/// Reads copied rows.
final class CopiedRowReader: RowReader {
  private var row: CopiedRow

  init(_ row: CopiedRow) {
    self.row = row
    super.init(entity: row.entity)
  }

  func move(to row: CopiedRow) {
    self.row = row
    entity = row.entity
    identifier = row.identifier
  }

  override var version: Int64 { row.version }

  override func isDeferred(at index: Int) -> Bool {
    row.values.indices.contains(index) && row.values[index] == nil
  }

  override func value(at index: Int) throws -> StoreValue {
    row.values.indices.contains(index) ? row.values[index] ?? .null : .null
  }
}
