import StoreFiles

/// Removes the files that a failure or a kill has left without a row.
///
/// It is only called under the sidecar lock, so that no save is running whose rows are not
/// committed yet.
enum FileSweeping {
  /// Removes the files to which no row refers, as far as possible; the rest is left for the next
  /// time.
  static func sweep(_ files: ValueFiles, _ map: SchemaMap, on connection: Connection) throws {
    let names = try files.ownNames()
    if names.isEmpty { return }
    let used = try FileColumns.names(map, on: connection)
    let orphans = names.filter { !used.contains($0) }
    // The current rows may be in the system's memory alone, and a power loss may restore rows that
    // refer to one of these files. Only the database file is certain.
    if !orphans.isEmpty, connection.checkpoint() { files.remove(orphans) }
  }
}
