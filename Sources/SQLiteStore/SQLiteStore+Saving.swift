import Foundation
import StoreFiles
import StoreProtocol

extension SQLiteStore {
  /// Runs a body in one transaction with the files of large values that it writes and releases.
  ///
  /// The files are complete before the commit. Those that no row refers to any more are removed
  /// after it.
  func save<Result>(
    _ identifier: UUID = UUID(),
    checksReferences: Bool = true,
    _ body: (Connection, ValueFileBatch?) throws -> Result
  ) throws -> Result {
    guard let files = database.files else {
      return try database.write(identifier, checksReferences: checksReferences) {
        try body($0, nil)
      }
    }
    let batch = ValueFileBatch(files, threshold: configuration.externalStorageThreshold)
    do {
      let result = try database.write(identifier, checksReferences: checksReferences) {
        connection in
        let result = try body(connection, batch)
        try batch.syncNames()
        return result
      }
      // Until then a power loss may restore rows that refer to the files.
      batch.commit(isDurable: configuration.durability == .full)
      return result
    } catch {
      batch.rollBack(after: error)
      throw error
    }
  }
}
