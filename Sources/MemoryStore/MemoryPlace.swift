import Foundation
import RowChanges
import StoreProtocol
import Synchronization

/// Where the rows of one store in memory are, for all who open it.
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

  /// The rows as they are now; later changes do not reach this copy.
  var rows: MemoryRows { contents.withLock { $0.rows } }

  /// The history as it is now, with the number of the last save.
  var history: (log: HistoryLog<HistoryRecord>, last: Int64) {
    contents.withLock { ($0.history, $0.rows.lastSave) }
  }

  /// Changes rows and history, while nobody else reads or changes them.
  func change<Result: Sendable>(
    _ body: (inout MemoryRows, inout HistoryLog<HistoryRecord>) throws -> Result
  ) rethrows -> Result {
    try contents.withLock { try body(&$0.rows, &$0.history) }
  }

  /// Settles the schema: the one that is asked for, where the place has another or none.
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
