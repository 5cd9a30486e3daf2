import Foundation
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
  /// The identifier of the save before, or `nil` if there is none.
  private var previous: UUID?

  /// Returns the statement that reserves the next number for a save.
  ///
  /// It is the first one of a transaction, which then reads the effects of all earlier saves.
  static func statement(_ space: String, for save: UUID) -> Statement {
    Statement(
      "UPDATE \(space)._meta SET last_save = last_save + 1, previous_save = save, save = $1 "
        + "RETURNING CASE WHEN save = $1 THEN last_save END, next_key",
      [Parameter(save)],
      isPrepared: true
    )
  }

  /// Returns the statement that reserves these numbers and some keys.
  ///
  /// It fails if the numbers are not the next ones of the store that was opened, and the server's
  /// log says why. Citus accepts immutable functions only.
  ///
  /// - Parameters:
  ///   - space: The quoted name of the store's schema.
  ///   - next: The numbers after the save, which contain its identifier.
  ///   - position: The store that was opened.
  /// - Returns: The statement.
  func statement(_ space: String, next: SaveNumbers, _ position: StorePosition) -> Statement {
    Statement(
      "UPDATE \(space)._meta SET last_save = last_save + 1, next_key = next_key + $1, "
        + "previous_save = save, save = $5 "
        + "RETURNING CASE WHEN (last_save = $2 AND next_key = $3 AND structure = $4 "
        + "AND identifier = $6 AND previous_save IS NOT DISTINCT FROM $7) IS NOT TRUE "
        + "THEN ('another save came first: ' || last_save::text)::int END",
      [
        Parameter(next.nextKey - nextKey), Parameter(save), Parameter(next.nextKey),
        Parameter(position.structure), Parameter(next.previous),
        Parameter(position.identifier), Parameter(previous),
      ],
      isPrepared: true
    )
  }

  /// Returns the statements that write these numbers, those of the last save of a group.
  ///
  /// The first save of the group has reserved its own, which locks the row. Saves in between write
  /// none: each would leave a version of the row, which the server reads until the end of the
  /// transaction, and the pages of so many versions are empty afterward but not used again before a
  /// vacuum.
  func statements(_ space: String, next: SaveNumbers) -> [Statement] {
    guard let identifier = next.previous else { return [] }
    let update = Statement(
      "UPDATE \(space)._meta SET last_save = $1, next_key = $2, previous_save = $3, save = $4",
      [
        Parameter(save), Parameter(next.nextKey), Parameter(previous), Parameter(identifier),
      ],
      isPrepared: true
    )
    let record = SaveRecord(
      space: space,
      save: identifier,
      number: save,
      nextKey: next.nextKey,
      isInHistory: false
    )
    return [update] + record.statements([])
  }

  /// Returns the numbers of the save that follows this one, if it is the next one.
  func following(nextKey: Int64, _ save: UUID) -> SaveNumbers {
    SaveNumbers(save: self.save + 1, nextKey: nextKey, previous: save)
  }

  init(save: Int64, nextKey: Int64, previous: UUID? = nil) {
    (self.save, self.nextKey, self.previous) = (save, nextKey, previous)
  }

  /// Creates the numbers from the result of the statement.
  init(_ result: QueryResult, _ space: String) throws {
    guard result.rowCount == 1, let key = try result.value(0, 1, as: Int64.self) else {
      throw DataStoreError.noCounters(space)
    }
    guard let save = try result.value(0, 0, as: Int64.self) else {
      throw DataStoreError.discardedChanges(space, nil)
    }
    guard save > 0, key > 0 else {
      throw DataStoreError(
        .storeDamaged,
        "the store's counters of saves and keys are \(save) and \(key), which must be greater than 0; "
          + "restore a backup",
        file: space
      )
    }
    (self.save, nextKey) = (save, key)
  }

  /// The columns of `_meta` with the numbers of the last save.
  static let lastColumns = ", last_save, next_key, save"

  /// Creates the numbers of the next save from the last columns of a row, or returns `nil` if these
  /// are damaged.
  init?(following last: QueryResult) throws {
    let first = last.columnCount - 3
    guard last.rowCount == 1, let save = try last.value(0, first, as: Int64.self), save >= 0,
      save < .max, let key = try last.value(0, first + 1, as: Int64.self), key > 0
    else { return nil }
    self.init(save: save + 1, nextKey: key, previous: try last.value(0, first + 2, as: UUID.self))
  }

  /// Returns the statement that records a save.
  static func record(_ save: UUID, _ number: Int64, _ space: String) -> Statement {
    Statement(
      "INSERT INTO \(space)._saves (save, number, at) VALUES ($1, $2, \(ServerClock.now))",
      [Parameter(save), Parameter(number)],
      isPrepared: true
    )
  }

  /// Throws if the numbers are too large.
  func check(_ space: String) throws {
    try StoreNumbers.check(save, of: "saves", file: space)
    try StoreNumbers.check(nextKey, of: "keys", file: space)
  }
}

/// The numbers of the next save of a store, if no other program saves before.
///
/// A save that assumes them needs one round trip, but three more if they are wrong. Therefore they
/// are then assumed again only after some saves in a row, except for the first save: others may have
/// saved long since the store was opened.
struct ExpectedNumbers {
  /// The number of saves in a row, after a wrong assumption, until numbers are assumed again.
  static let savesInRow = 8

  private var next: SaveNumbers?
  private var hasSaved = false
  private var missing = 0

  /// Begins with the numbers that the store had when it was opened.
  init(_ next: SaveNumbers? = nil) { self.next = next }

  /// The numbers of the next save, or `nil` if they should not be assumed.
  var current: SaveNumbers? { missing == 0 ? next : nil }

  /// Records the numbers of a stored save, and those that follow.
  mutating func record(_ numbers: SaveNumbers, next: SaveNumbers) {
    if numbers.save == self.next?.save {
      missing = max(0, missing - 1)
    } else if hasSaved {
      missing = Self.savesInRow
    }
    (self.next, hasSaved) = (next, true)
  }

  /// Records that the assumption was wrong.
  mutating func reject() {
    if hasSaved { missing = Self.savesInRow } else { next = nil }
  }
}
