import StoreProtocol

/// The rows of one entity, in memory or still as text in the document.
struct StoredTable: Sendable {
  /// The location of the rows.
  enum Content: Sendable {
    /// The document has no rows of the entity.
    case absent
    /// The rows are at these bytes of the document.
    case text(Range<Int>)
    /// The rows are in memory.
    case rows(Table)
  }

  let entity: StoreEntity
  let scope: PersistentIdentifier.Scope
  /// The format of the rows in the document.
  let format: RowFormat
  var content: Content

  /// Creates a table without rows; see `RowFormat` for the version with which they were written.
  init(_ entity: StoreEntity, of store: String, writtenAs stored: StoreEntity? = nil) {
    self.entity = entity
    scope = PersistentIdentifier.Scope(storeIdentifier: store, entityName: entity.name)
    format = RowFormat(entity, writtenAs: stored)
    content = .absent
  }

  /// Creates the table of rows in memory.
  init(_ rows: Table, writtenAs stored: StoreEntity? = nil) {
    entity = rows.entity
    scope = rows.scope
    format = RowFormat(rows.entity, writtenAs: stored)
    content = .rows(rows)
  }

  /// The rows in memory, or `nil` if they were not read yet.
  var table: Table? {
    @inline(__always) get {
      if case .rows(let table) = content { return table }
      return nil
    }
  }

  /// Whether the rows were not read yet.
  var isText: Bool {
    if case .text = content { true } else { false }
  }

  /// Returns the rows, and reads them from the document if necessary.
  ///
  /// - Throws: `storeDamaged` with the location, if the text is not a list of such rows.
  func loaded(from source: [UInt8], nextKey: Int64, file: String) throws -> Table {
    switch content {
    case .absent: return Table(entity: entity, scope: scope)
    case .rows(let table): return table
    case .text(let range):
      return try source.withUnsafeBytes { bytes in
        do throws(JSONError) {
          var scanner = JSONScanner(bytes, in: range)
          return try TableReader.read(
            &scanner,
            Table(entity: entity, scope: scope),
            format: format,
            nextKey: nextKey
          )
        } catch {
          throw DocumentFormat.damaged(file, error)
        }
      }
    }
  }
}
