import PostgreSQLClient
import StoreHelpers
import StoreProtocol

/// The number of a save and the next key, reserved for the save.
///
/// The row that holds both remains locked until the end of the transaction. Therefore saves are
/// serialized, and their numbers become visible in order.
struct SaveNumbers {
  /// The number of the save.
  let save: Int64
  /// The key of the next new row.
  let nextKey: Int64
  /// The number of changes to the store's schema.
  private let structure: Int64

  /// Returns the statement that reserves the next number.
  ///
  /// It is the first one of a transaction, which then reads the effects of all earlier saves.
  static func statement(_ space: String) -> Statement {
    Statement(
      "UPDATE \(space)._meta SET last_save = last_save + 1 RETURNING last_save, next_key, structure",
      isPrepared: true
    )
  }

  /// Creates the numbers from the result of the statement.
  init(_ result: QueryResult, _ space: String) throws {
    guard result.rowCount == 1, let save = try result.value(0, 0, as: Int64.self),
      let key = try result.value(0, 1, as: Int64.self)
    else {
      throw DataStoreError(
        .storeDamaged,
        "the store has no counters; restore a backup",
        file: space
      )
    }
    try StoreNumbers.check(save, of: "saves", file: space)
    try StoreNumbers.check(key, of: "keys", file: space)
    (self.save, nextKey) = (save, key)
    structure = try result.value(0, 2, as: Int64.self) ?? 0
  }

  /// Throws if the store's schema changed since a handle was opened.
  func check(_ structure: Int64, _ space: String) throws {
    guard self.structure == structure else {
      throw DataStoreError(
        .schemaMismatch,
        "another program changed the store's schema; open the store again",
        file: space
      )
    }
  }
}
