import Foundation
import RowChanges
import StoreHelpers
import StoreProtocol
import Synchronization

/// The storage of one in-memory store, shared by all who open it.
final class MemoryStorage: Sendable {
  /// The store's name in identifiers.
  let identifier: String
  private let contents = Mutex(Contents())

  /// The rows and what is remembered of their saves, as of one moment.
  struct State: Sendable {
    var rows = MemoryRows()
    var history = HistoryLog<HistoryRecord>()
  }

  private struct Contents {
    var schema: Schema?
    var state = State()
  }

  init(identifier: String = StoreEnvironment.current.makeUUID().uuidString) {
    self.identifier = identifier
  }

  /// The state of now; later changes do not reach this copy.
  var state: State { contents.withLock { $0.state } }

  /// The number of the last save.
  var latestSave: Int64 { contents.withLock { $0.state.rows.lastSave } }

  /// Changes rows and history with exclusive access.
  func change<Result: Sendable>(
    _ body: (inout MemoryRows, inout HistoryLog<HistoryRecord>) throws -> Result
  ) rethrows -> Result {
    try contents.withLock { try body(&$0.state.rows, &$0.state.history) }
  }

  /// Returns the requested schema, or the existing one if none is requested, and checks that they
  /// agree.
  func open(_ wanted: Schema?) throws -> Schema {
    try wanted?.storeSchema.validate()
    return try contents.withLock { contents in
      guard let schema = wanted ?? contents.schema else {
        throw DataStoreError(
          .invalidConfiguration,
          "a new store needs a schema; set the configuration's schema"
        )
      }
      guard contents.schema == nil || contents.schema == schema else {
        throw DataStoreError(.schemaMismatch, "the store in memory has rows of another schema")
      }
      contents.schema = schema
      return schema
    }
  }
}
