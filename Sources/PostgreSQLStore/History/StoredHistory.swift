import Foundation
import PostgreSQLClient
import StoreHelpers
import StoreProtocol
import StructuredText

/// The history in its table, `_history`; `_meta` has the number at which it begins.
struct StoredHistory {
  private let map: StoreMap
  private let connection: Connection
  /// The number of saves between two deletions of expired saves, which read all of them.
  private static let savesInterval: Int64 = 1024

  /// The size of a transaction that no history reaches: the server limits a value to a gigabyte.
  private static let largestSize: Int64 = 1 << 32

  init(_ map: StoreMap, _ connection: Connection) {
    self.map = map
    self.connection = connection
  }

  /// Returns whether a number can be that of a save, or 0.
  private static func isNumber(_ number: Int64) -> Bool {
    (0...StoreNumbers.greatest).contains(number)
  }

  // MARK: Reading

  /// Reads the part of the history that a query needs.
  func log(for query: StoreHistoryQuery) throws -> HistoryLog<StoredTransaction> {
    let numbers = HistoryNumbers(query.filter)
    let isOldestFirst = query.order.isEmpty && numbers.isExact
    return try log(numbers, withGroups: true, limit: isOldestFirst ? query.limit : nil)
  }

  /// Reads the last transaction up to a number, without its changes.
  func log(endingAt number: Int64) throws -> HistoryLog<StoredTransaction> {
    try log(HistoryNumbers(upTo: number), withGroups: false, limit: 1, isReversed: true)
  }

  /// Reads the history, including the changes of its transactions on request.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of the transactions.
  ///   - withGroups: Whether to read the changes.
  ///   - limit: The maximum number of transactions.
  ///   - isReversed: Whether to read the last ones, from the end; otherwise, the oldest are read.
  /// - Returns: The transactions, the cut and the readers.
  /// - Throws: ``DataStoreError/storeDamaged`` if they are invalid.
  func log(
    _ numbers: HistoryNumbers = HistoryNumbers(nil),
    withGroups: Bool,
    limit: Int? = nil,
    isReversed: Bool = false
  ) throws -> HistoryLog<StoredTransaction> {
    try read(numbers, withGroups: withGroups, limit: limit, isReversed: isReversed, "at").log
  }

  /// Reads the oldest transactions, with their times and the current time by the server's clock.
  private func oldest(_ limit: Int) throws -> (log: HistoryLog<StoredTransaction>, now: Date) {
    try read(HistoryNumbers(nil), withGroups: false, limit: limit, "coalesce(stored_at, at)")
  }

  private func read(
    _ numbers: HistoryNumbers,
    withGroups: Bool,
    limit: Int?,
    isReversed: Bool = false,
    _ time: String
  ) throws -> (log: HistoryLog<StoredTransaction>, now: Date) {
    let groups = withGroups ? "groups::text" : "NULL::text"
    let window = limit.map { " LIMIT \(max(0, $0))" } ?? ""
    let results = try connection.run([
      Statement(
        "SELECT history_cut, history_cut_save, \(ServerClock.now) FROM \(map.space)._meta"
      ),
      Statement(
        "SELECT number, save, \(time), author, origin, bundle, process, size, \(groups) "
          + "FROM \(map.space)._history WHERE number BETWEEN $1 AND $2 "
          + "ORDER BY number\(isReversed ? " DESC" : "")\(window)",
        [Parameter(numbers.lowest), Parameter(numbers.highest)]
      ),
      Statement("SELECT name, number, save, at FROM \(map.space)._readers"),
    ])
    guard results.count == 3, results[0].rowCount == 1,
      let cut = try results[0].value(0, 0, as: Int64.self), Self.isNumber(cut),
      let now = try results[0].value(0, 2, as: Double.self)
    else { throw damaged() }
    let log = HistoryLog(
      try (0..<results[1].rowCount).map { try transaction(results[1], $0) },
      cut: cut,
      cutSave: try results[0].value(0, 1, as: UUID.self),
      readers: try (0..<results[2].rowCount).map { try reader(results[2], $0) }
    )
    return (log, Date(timeIntervalSinceReferenceDate: now))
  }

  /// The number of the last save.
  func lastSave() throws -> Int64 {
    let result = try connection.run(Statement("SELECT last_save FROM \(map.space)._meta"))
    guard let last = try result.value(0, 0, as: Int64.self), Self.isNumber(last) else {
      throw damaged()
    }
    return last
  }

  private func transaction(_ result: QueryResult, _ row: Int) throws -> StoredTransaction {
    guard let number = try result.value(row, 0, as: Int64.self), Self.isNumber(number),
      let seconds = try result.value(row, 2, as: Double.self),
      let size = try result.value(row, 7, as: Int64.self), (0...Self.largestSize).contains(size)
    else { throw damaged() }
    var groups: [HistoryGroup] = []
    if let text = try result.value(row, 8, as: String.self) {
      guard case .array(let values)? = try? JSONText.decoded(text),
        let decoded = HistoryGroup.groups(values)
      else { throw damaged() }
      groups = decoded
    }
    let record = HistoryRecord(
      number: number,
      save: try result.value(row, 1, as: UUID.self),
      timestamp: Date(timeIntervalSinceReferenceDate: seconds),
      author: try text(result, row, 3),
      origin: SaveOrigin(rawValue: try text(result, row, 4) ?? ""),
      bundle: try text(result, row, 5) ?? "",
      process: try text(result, row, 6) ?? "",
      groups: groups
    )
    return StoredTransaction(record: record, size: Int(size))
  }

  private func reader(_ result: QueryResult, _ row: Int) throws -> HistoryReaderPosition {
    guard let name = try text(result, row, 0),
      let number = try result.value(row, 1, as: Int64.self),
      let seconds = try result.value(row, 3, as: Double.self)
    else { throw damaged() }
    return HistoryReaderPosition(
      name: name,
      number: number,
      save: try result.value(row, 2, as: UUID.self),
      timestamp: Date(timeIntervalSinceReferenceDate: seconds)
    )
  }

  private func text(_ result: QueryResult, _ row: Int, _ column: Int) throws -> String? {
    try result.value(row, column, as: String.self).flatMap(TextEscape.unescaped)
  }

  private func damaged() -> DataStoreError {
    DataStoreError(.storeDamaged, "the history cannot be read; delete it", file: map.space)
  }

  // MARK: Writing

  /// Returns the statements that add a transaction.
  func append(_ record: HistoryRecord) throws -> [Statement] {
    let groups = try text(of: record.groups)
    return [
      Statement(
        "INSERT INTO \(map.space)._history "
          + "(number, save, at, author, origin, bundle, process, size, groups, stored_at) "
          + "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::json, \(ServerClock.now))",
        [
          Parameter(record.number), Parameter(record.save),
          Parameter(record.timestamp.timeIntervalSinceReferenceDate),
          Parameter(record.author.map(TextEscape.escaped)),
          Parameter(TextEscape.escaped(record.origin.rawValue)),
          Parameter(TextEscape.escaped(record.bundle)),
          Parameter(TextEscape.escaped(record.process)),
          Parameter(Int64(record.size)), Parameter(groups),
        ],
        isPrepared: true
      )
    ]
  }

  /// Returns the statements that change the names of properties after a migration.
  func rename(_ renaming: HistoryRenaming) throws -> [Statement] {
    if renaming.isEmpty { return [] }
    return try log(withGroups: true).entries.compactMap { transaction in
      guard let groups = renaming.renamed(transaction.record.groups) else { return nil }
      return Statement(
        "UPDATE \(map.space)._history SET groups = $1::json WHERE number = $2",
        [Parameter(try text(of: groups)), Parameter(transaction.number)],
        isPrepared: true
      )
    }
  }

  private func text(of groups: [HistoryGroup]) throws -> String {
    do {
      return try JSONText.encoded(.array(groups.map(\.storeValue)))
    } catch let error as JSONText.NotStorable {
      throw DataStoreError(.invalidValue, "the history cannot store a value: \(error.reason)")
    }
  }

  /// Returns the statements that remove all transactions up to a save that added none.
  func cutAll(at number: Int64, _ save: UUID) -> [Statement] {
    [Statement("DELETE FROM \(map.space)._history")]
      + moveCut(to: number, save, after: "true", [])
  }

  /// Returns the statements that remove the transactions that satisfy a filter, or all of them.
  func delete(_ filter: StoreHistoryFilter?) throws -> [Statement] {
    let numbers = HistoryNumbers(filter)
    let before = try log(numbers, withGroups: !numbers.isExact)
    var after = before
    after.delete(filter)
    guard after.cut != before.cut || after.entries.count != before.entries.count else { return [] }
    let kept = Set(after.entries.map(\.number))
    let gone = before.entries.map(\.number).filter { !kept.contains($0) }
    return remove(gone, cut: after.cut, after.cutSave)
  }

  /// Returns the statements that remove expired transactions, once per few saves.
  func prune(
    _ retention: HistoryRetention,
    adding record: HistoryRecord,
    readers: [HistoryReaderPosition]
  ) throws -> [Statement] {
    guard record.number % HistoryRetention.interval == 1 else { return [] }
    var statements: [Statement] = []
    // Mostly no more go than have come since the last check; the others are read only if all of these go.
    var limit = 2 * Int(HistoryRetention.interval)
    while true {
      // Neither the new transaction nor the positions of readers are written yet.
      var (log, now) = try oldest(limit)
      let before = log.entries
      let interval = Self.sizeInterval(from: before.first?.number, to: record.number)
      // The size of those that were not read is added to it, since all of them are kept.
      let size = record.number / HistoryRetention.interval % interval == 0 ? try self.size() : 0
      let rest = max(0, size - before.reduce(0) { $0 + $1.size })
      log.append(StoredTransaction(record: record, size: rest + record.size))
      for reader in readers { log.set(reader) }
      log.prune(retention, last: record.number, completely: true, now: now)
      let gone = before.count + 1 - log.entries.count
      if gone > 0 {
        statements = remove(before.prefix(gone).map(\.number), cut: log.cut, log.cutSave)
      }
      let most = HistoryRetention.step * Int(interval)
      guard gone >= limit, limit < most else { break }
      limit = most
    }
    guard record.number % Self.savesInterval == 1 else { return statements }
    return statements + [
      Statement("DELETE FROM \(map.space)._saves WHERE at < \(ServerClock.now) - 86400")
    ]
  }

  /// The number of checks of the limits from one that adds up the sizes of all transactions to the
  /// next.
  ///
  /// Meanwhile about 1/64 of the transactions is added: the server reads all of them.
  private static func sizeInterval(from first: Int64?, to last: Int64) -> Int64 {
    let count = min(last &- (first ?? last), 1 << 30)
    return max(1, count / (64 * HistoryRetention.interval))
  }

  /// Returns the size of all transactions.
  private func size() throws -> Int {
    let sum = "least(sum(size), \(StoreNumbers.greatest))::int8"
    let total = Statement("SELECT \(sum) FROM \(map.space)._history", isPrepared: true)
    return Int(try connection.run(total).value(0, 0, as: Int64.self) ?? 0)
  }

  // Rules and triggers can discard these changes as well.

  /// Returns the statements that store the position of a reader, and check it.
  func set(_ reader: HistoryReaderPosition) -> [Statement] {
    let name = Parameter(TextEscape.escaped(reader.name))
    return [
      Statement(
        "INSERT INTO \(map.space)._readers (name, number, save, at) VALUES ($1, $2, $3, $4) "
          + "ON CONFLICT (name) DO UPDATE SET number = $2, save = $3, at = $4",
        [
          name, Parameter(reader.number), Parameter(reader.save),
          Parameter(reader.timestamp.timeIntervalSinceReferenceDate),
        ]
      ),
      check(
        "count(*) <> 1",
        "_readers WHERE name = $1 AND number = $2",
        [
          name, Parameter(reader.number),
        ]
      ),
    ]
  }

  /// Returns the statements that remove the position of a reader, and check that.
  func removeReader(_ name: String) -> [Statement] {
    let name = Parameter(TextEscape.escaped(name.composed))
    return [
      Statement("DELETE FROM \(map.space)._readers WHERE name = $1", [name]),
      check("count(*) > 0", "_readers WHERE name = $1", [name]),
    ]
  }

  /// Returns the statements that remove transactions, move the cut, and check both.
  private func remove(_ numbers: [Int64], cut: Int64, _ save: UUID?) -> [Statement] {
    let condition = "number = ANY($1)"
    let parameters = [Parameter(array: numbers)]
    return [Statement("DELETE FROM \(map.space)._history WHERE \(condition)", parameters)]
      + moveCut(to: cut, save, after: condition, parameters)
  }

  /// Returns the statements that move the cut after transactions with a condition were removed, and
  /// check both.
  private func moveCut(
    to number: Int64,
    _ save: UUID?,
    after condition: String,
    _ parameters: [Parameter]
  ) -> [Statement] {
    [
      Statement(
        // Another program may have deleted more since the history was read.
        "UPDATE \(map.space)._meta SET history_cut = $1, history_cut_save = $2 "
          + "WHERE history_cut <= $1",
        [Parameter(number), Parameter(save)]
      ),
      check("count(*) > 0", "_history WHERE \(condition)", parameters),
      check("max(history_cut) < $1", "_meta", [Parameter(number)]),
    ]
  }

  /// Returns the statement that fails if a condition holds for rows of one of the store's own
  /// tables.
  private func check(_ failure: String, _ rows: String, _ parameters: [Parameter]) -> Statement {
    Statement(
      "SELECT CASE WHEN \(failure) THEN ('changes are discarded; found ' || count(*)::text)::int "
        + "END FROM \(map.space).\(rows)",
      parameters
    )
  }
}

/// A transaction in the table, which may be read without its changes.
struct StoredTransaction: HistoryEntry {
  let record: HistoryRecord
  let size: Int

  var number: Int64 { record.number }
  var timestamp: Date { record.timestamp }
  var save: UUID? { record.save }
  func text(_ text: StoreHistoryFilter.Text) -> String? { record.text(text) }
  func changes(anyOf entities: Set<String>) -> Bool { record.changes(anyOf: entities) }
}
