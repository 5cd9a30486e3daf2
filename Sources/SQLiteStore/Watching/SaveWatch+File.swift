import Foundation
import StoreProtocol

extension SaveWatch: StoreWatch {
  package var file: URL? { path.map { URL(filePath: $0) } }
}

extension SQLiteStore {
  /// A watch over the saves of all processes; nil for a database in memory, which is this store's own.
  public func watch() throws -> (any StoreWatch)? {
    configuration.isStoredInMemoryOnly ? nil : try watchSaves()
  }
}
