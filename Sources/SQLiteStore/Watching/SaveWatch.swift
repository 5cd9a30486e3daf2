import StoreProtocol
import Synchronization

/// Tells of the saves of all processes since it was asked last.
///
/// It keeps a reader of its own, whose `PRAGMA data_version` moves when anybody else commits: as long
/// as it stands still, no page is read.
package final class SaveWatch: Sendable {
  private struct State {
    var reader: Connection?
    var dataVersion: Int64?
    var saves: Int64
  }

  private let database: Database
  private let state: Mutex<State>

  /// The path of the database file, nil for a database in memory.
  var path: String? { database.place.path }

  /// Begins with the state that the database has now.
  init(_ database: Database) throws {
    self.database = database
    state = Mutex(State(saves: 0))
    _ = try newSaves()
  }

  deinit { state.withLock { $0.reader?.close() } }

  /// The numbers of the saves since the last call, nil where there are none.
  ///
  /// Saves of the watched store itself are among them. The rows that they left have these numbers
  /// as their versions. What a program writes without counting its save is not noticed.
  ///
  /// - Throws: What reading throws; the saves are told of by a later call then. After
  ///   ``DataStoreError/storeReplaced`` reads of the store throw it as well.
  /// - Complexity: O(1); without news one statement that reads no page.
  package func newSaves() throws -> ClosedRange<Int64>? {
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

  /// How many saves there were, nil where nothing happened since the last call.
  private func currentSaves(_ state: inout State) throws -> Int64? {
    guard case .file(let file) = database.place else {
      return try database.read { try Metadata.saves(from: $0) }
    }
    do {
      return try database.used(.reading) {
        try database.checkProcess()
        try database.settle(file)
        try database.checkFile(file)
        let reader = try state.reader ?? database.takeReader()
        state.reader = reader
        let version = try reader.withStatement("PRAGMA data_version") {
          try $0.step() ? $0.integer(at: 0) : nil
        }
        if let version, version == state.dataVersion { return nil }
        let saves = try Metadata.saves(from: reader)
        state.dataVersion = version
        return saves
      }
    } catch {
      state.reader?.close()
      state.reader = nil
      state.dataVersion = nil
      if (error as? DataStoreError)?.code == .storeReplaced { database.closeIdleReaders() }
      throw error
    }
  }
}

extension SQLiteStore {
  /// A watch over the saves of all processes, from now on.
  ///
  /// - Throws: What reading throws.
  package func watchSaves() throws -> SaveWatch {
    try SaveWatch(database)
  }
}
