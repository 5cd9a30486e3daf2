import Foundation
import StoreProtocol

extension SaveWatch: StoreWatch {
  package var file: URL? { path.map { URL(filePath: $0) } }
}

extension SQLiteStore {
  /// Returns a watch for the saves of all processes, or `nil` for a database in memory.
  ///
  /// No other process can save to a database in memory.
  public func watch() throws -> (any StoreWatch)? {
    configuration.isStoredInMemoryOnly ? nil : try watchSaves()
  }
}
