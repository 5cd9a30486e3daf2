import Foundation
import StoreProtocol
import Synchronization

/// Reports the saves of all processes since the last call.
///
/// It keeps a reader of its own, whose `PRAGMA data_version` changes when another connection
/// commits. While it is unchanged, no page is read.
final class SaveWatch: StoreWatch {
  private struct State {
    var reader: Connection?
    var dataVersion: Int64?
    var saves: Int64
  }

  private let database: Database
  private let databaseFile: DatabaseFile
  private let state: Mutex<State>

  var file: URL? { URL(filePath: databaseFile.path) }

  /// Begins with the current state of the database in a file.
  init(_ database: Database, _ file: DatabaseFile) throws {
    self.database = database
    databaseFile = file
    state = Mutex(State(saves: 0))
    _ = try newSaves()
  }

  deinit { state.withLock { $0.reader?.close() } }

  /// Returns the numbers of the saves since the last call, or `nil` if there are none.
  ///
  /// They include saves of the watched store itself. The rows that they wrote have these numbers as
  /// their versions. Writes of programs that do not count their save are not noticed.
  ///
  /// - Throws: Errors of reading; a later call then reports the saves. After
  ///   ``DataStoreError/storeReplaced`` reads of the store throw it as well.
  /// - Complexity: O(1); without new saves, one statement that reads no page.
  func newSaves() throws -> ClosedRange<Int64>? {
    let found = state.withLock { state in
      Result { try self.advance(&state) }
    }
    return try found.get()
  }

  private func advance(_ state: inout State) throws -> ClosedRange<Int64>? {
    let last = state.saves
    guard let saves = try currentSaves(&state), saves > last else { return nil }
    state.saves = saves
    return last + 1...saves
  }

  /// Returns the number of saves, or `nil` if there were none since the last call.
  private func currentSaves(_ state: inout State) throws -> Int64? {
    do {
      return try database.used(.reading) {
        try database.resolveIndeterminateCommit(databaseFile)
        try database.checkFile(databaseFile)
        let reader = try state.reader ?? database.takeReader(databaseFile, borrows: false)
        state.reader = reader
        let version = try reader.first("PRAGMA data_version") { $0.integer(at: 0) }
        if let version, version == state.dataVersion { return nil }
        let saves = try HistoryTable.saves(on: reader)
        state.dataVersion = version
        return saves
      }
    } catch {
      state.reader?.close()
      state.reader = nil
      state.dataVersion = nil
      if (error as? DataStoreError) == .storeReplaced { database.closeIdleReaders() }
      throw error
    }
  }
}

extension SQLiteStore {
  /// Returns a watch for the saves of all processes, or `nil` for a database in memory.
  ///
  /// No other process can save to a database in memory.
  public func watch() throws -> (any StoreWatch)? {
    try database.file.map { try SaveWatch(database, $0) }
  }
}
