import StoreFiles

/// Removes the files that a failure or a kill has left without a row.
///
/// Only ever called under the sidecar lock, so that no save is under way whose rows are not committed
/// yet.
enum FileSweeping {
  /// Removes what no row names, as far as that is known; what is left is left for the next time.
  static func sweep(_ files: ValueFiles, _ map: SchemaMap, on connection: Connection) throws {
    let names = try files.ownNames()
    if names.isEmpty { return }
    let used = try FileColumns.names(map, on: connection)
    let orphans = names.filter { !used.contains($0) }
    // What the rows are now may be in the system's memory alone, and a loss of power may bring back
    // rows that name one of these files: only what is in the database file is certain.
    if !orphans.isEmpty, connection.checkpoint() { files.remove(orphans) }
  }
}
