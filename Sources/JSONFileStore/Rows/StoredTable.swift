import StoreProtocol

/// The rows of one entity, in memory or still as they stand in the document.
struct StoredTable: Sendable {
  /// Where the rows are.
  enum Content: Sendable {
    /// There is nothing in the document.
    case absent
    /// They stand at these bytes of the document.
    case text(Range<Int>)
    /// They are in memory.
    case rows(Table)
  }

  let entity: StoreEntity
  let scope: PersistentIdentifier.Scope
  /// How the document has the rows.
  let format: RowFormat
  var content: Content

  /// The rows in memory, nil where they were not read yet.
  var table: Table? {
    @inline(__always) get {
      if case .rows(let table) = content { return table }
      return nil
    }
  }

  /// The rows, read from the document where they were not.
  ///
  /// - Throws: `storeDamaged` with the place, where the text is no list of such rows.
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
