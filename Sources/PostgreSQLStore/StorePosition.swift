import Foundation
import PostgreSQLClient
import StoreProtocol
import Synchronization

/// The last save of a store that an open store has seen.
///
/// A check that travels with each read and save verifies that the store is the one that was opened,
/// has the same schema, and still has that save. A number does not identify a save: after a failover
/// that lost saves, or from a backup, others get their numbers.
final class StorePosition: Sendable {
  /// A save, or `nil` as its identifier if there is none.
  struct Seen {
    fileprivate(set) var number: Int64 = 0
    fileprivate(set) var save: UUID?
  }

  let identifier: UUID?
  /// The number of changes to the store's schema.
  let structure: Int64
  private let location: String
  private let space: String
  /// The statement of a check, whose only parameter is the save that was seen.
  private let sql: String
  private let seen = Mutex(Seen())

  init(identifier: String, structure: Int64, space: String, location: String) {
    self.identifier = UUID(uuidString: identifier)
    self.structure = structure
    self.location = location
    self.space = space
    sql = Self.sql(space, structure, seen: "$1")
  }

  /// The types of the columns of a check.
  fileprivate static let types = [
    Int64.typeID, UUID.typeID, UUID.typeID, Int64.typeID, Bool.typeID, String.typeID,
  ]

  /// Selects the columns of a check, one row.
  ///
  /// The record of a save is deleted after a day. The history, which is searched only then, may keep it
  /// longer.
  private static func sql(_ space: String, _ structure: Int64, seen: String) -> String {
    """
    SELECT m.last_save, m.save, m.identifier, m.structure, \(seen)::uuid IS NULL OR m.save = \(seen) \
    OR EXISTS (SELECT 1 FROM \(space)._saves AS s WHERE s.save = \(seen) AND s.number IS NOT NULL) \
    OR EXISTS (SELECT 1 FROM \(space)._history AS h WHERE h.save = \(seen)), \
    CASE WHEN m.structure <> \(structure) THEN m.schema::json ->> 'version' END \
    FROM \(space)._meta AS m
    """
  }

  /// Returns the query for a row, and for the columns of a check after those of the row, which are
  /// null if there is none.
  ///
  /// The client sends and reads one statement in place of two.
  func joined(to row: String, seen parameter: String) -> String {
    let check = Self.sql(space, structure, seen: parameter)
    return "SELECT r.*, m.* FROM (\(check)) AS m LEFT JOIN (\(row)) AS r ON true"
  }

  /// The number of the last save that was seen, or `nil` if nothing was read or saved yet.
  var latestSave: Int64? { seen.withLock { $0.number > 0 ? $0.number : nil } }

  /// Begins a check; its statement must be executed later, because it checks what was seen before.
  func check() -> Check { Check(position: self, seen: seen.withLock { $0 }) }

  /// Records a save that was seen.
  func advance(to number: Int64, _ save: UUID?) {
    seen.withLock { seen in
      // Of reads that run at once, an earlier one may be recorded last.
      guard number >= seen.number else { return }
      seen = Seen(number: number, save: save)
    }
  }

  /// A check that the last save that was seen is still there.
  struct Check {
    fileprivate let position: StorePosition
    fileprivate let seen: Seen

    /// The save that was seen, as a parameter.
    var parameter: Parameter { Parameter(seen.save) }

    /// The query for COPY, which has no parameters.
    var copied: CopyQuery {
      let literal = seen.save.map { "'\($0)'::uuid" } ?? "NULL::uuid"
      let sql = StorePosition.sql(position.space, position.structure, seen: literal)
      return CopyQuery(Statement(sql), types: StorePosition.types)
    }

    /// The statement, which reads one row, and another one only if others saved.
    var statement: Statement {
      Statement(position.sql, [parameter], isPrepared: true)
    }

    /// Takes the last of some results, which is that of the statement.
    ///
    /// - Parameters:
    ///   - results: The results.
    ///   - isSaving: Whether the statement followed changes that are not committed.
    /// - Throws: ``DataStoreError/storeReplaced`` and ``DataStoreError/schemaMismatch``.
    func finish(_ results: inout [QueryResult], isSaving: Bool = false) throws {
      guard let result = results.popLast() else { throw noCounters }
      try finish(result, isSaving: isSaving)
    }

    /// Takes the last columns of a result with one row.
    func finish(_ result: QueryResult, isSaving: Bool = false) throws {
      let first = result.columnCount - StorePosition.types.count
      guard result.rowCount == 1, let number = try result.value(0, first, as: Int64.self),
        let identifier = try result.value(0, first + 2, as: UUID.self)
      else { throw noCounters }
      guard identifier == position.identifier else {
        throw replaced("another store was created in its place")
      }
      guard try result.value(0, first + 3, as: Int64.self) == position.structure else {
        let version = try result.value(0, first + 5, as: String.self) ?? "another version"
        throw DataStoreError(
          .schemaMismatch,
          "another program migrated the store to \(version); restart with the new models",
          file: position.location
        )
      }
      guard try result.value(0, first + 4, as: Bool.self) == true else {
        throw replaced(
          "the store lacks save \(seen.number), which this program has seen: it was returned to an "
            + "earlier state, by a failover or from a backup, or this program neither read nor saved "
            + "for longer than the store keeps a save's record and its history"
        )
      }
      if !isSaving { position.advance(to: number, try result.value(0, first + 1, as: UUID.self)) }
    }

    private var noCounters: DataStoreError { .noCounters(position.location) }

    private func replaced(_ reason: String) -> DataStoreError {
      DataStoreError(
        .storeReplaced,
        "\(reason); open the store again, and read all objects again",
        file: position.location
      )
    }
  }
}

extension DataStoreError {
  /// Returns the error of a store without the row of counters.
  static func noCounters(_ file: String) -> DataStoreError {
    DataStoreError(.storeDamaged, "the store has no counters; restore a backup", file: file)
  }
}
