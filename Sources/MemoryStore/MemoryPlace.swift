import Foundation
import RowChanges
import StoreProtocol
import Synchronization

/// The storage of one in-memory store, shared by all who open it.
final class MemoryPlace: Sendable {
  /// The store's name in identifiers.
  let identifier: String
  private let contents = Mutex(Contents())

  private struct Contents {
    var schema: Schema?
    var rows = MemoryRows()
    var history = HistoryLog<HistoryRecord>()
  }

  init(identifier: String = StoreEnvironment.current.makeUUID().uuidString) {
    self.identifier = identifier
  }

  /// A copy of the current rows, which later changes do not affect.
  var rows: MemoryRows { contents.withLock { $0.rows } }

  /// The current history, with the number of the last save.
  var history: (log: HistoryLog<HistoryRecord>, last: Int64) {
    contents.withLock { ($0.history, $0.rows.lastSave) }
  }

  /// Changes rows and history with exclusive access.
  func change<Result: Sendable>(
    _ body: (inout MemoryRows, inout HistoryLog<HistoryRecord>) throws -> Result
  ) rethrows -> Result {
    try contents.withLock { try body(&$0.rows, &$0.history) }
  }

  /// Returns the requested schema, or the existing one if none is requested, and checks that they
  /// agree.
  func open(_ wanted: Schema?) throws -> Schema {
    try wanted?.storeSchema.validate()
    return try contents.withLock { contents in
      guard let schema = wanted ?? contents.schema else {
        throw DataStoreError(
          .invalidConfiguration,
          "a new store needs a schema; set the configuration's"
        )
      }
      guard contents.schema == nil || contents.schema == schema else {
        throw DataStoreError(.schemaMismatch, "the store in memory holds rows of another schema")
      }
      contents.schema = schema
      return schema
    }
  }
}
