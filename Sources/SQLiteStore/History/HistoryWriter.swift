import Foundation
import SQLTranslation
import StoreHelpers
import StoreProtocol
import StructuredText

/// Writes the history of a store in the open transaction.
struct HistoryWriter {
  // As values: for a query that reads the table that it fills, SQLite first stores the result in a
  // table of its own.
  private static let insertion =
    "INSERT INTO \"_history\" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7"
    + " + coalesce((SELECT total FROM \"_history\" ORDER BY number DESC LIMIT 1), 0), ?8, ?9)"

  /// The approximate size of a transaction besides its strings, in bytes.
  private static let overhead = 48

  let connection: Connection

  /// Records a save, or that it is not kept in the history; does nothing if nothing changed.
  ///
  /// - Returns: Whether there is a transaction.
  @discardableResult
  func note(_ record: HistoryRecord, _ options: HistoryOptions) throws -> Bool {
    guard options.content != .off else {
      try cutAll(at: record.number, save: record.save)
      return false
    }
    guard !record.groups.isEmpty else { return false }
    try insert(record)
    if record.number % HistoryRetention.interval == 0 {
      try prune(options.retention, last: record.number)
    }
    return true
  }

  private func insert(_ record: HistoryRecord) throws {
    let changes = try Self.text(of: record.groups)
    let size =
      Self.overhead + changes.utf8.count + (record.author?.utf8.count ?? 0)
      + record.bundle.utf8.count + record.process.utf8.count
    try connection.withStatement(Self.insertion) { statement in
      try statement.bind(record.number, at: 1)
      try statement.bind(record.timestamp.timeIntervalSinceReferenceDate, at: 2)
      if let author = record.author { try statement.bind(author, at: 3) }
      try statement.bind(record.bundle, at: 4)
      try statement.bind(record.process, at: 5)
      try statement.bind(changes, at: 6)
      try statement.bind(Int64(size), at: 7)
      if let save = record.save { try statement.bind(save, at: 8) }
      if record.origin != .program { try statement.bind(record.origin.rawValue, at: 9) }
      try statement.run()
    }
    connection.isSaveInHistory = true
  }

  private static func text(of groups: [HistoryGroup]) throws -> String {
    do {
      return try JSONText.encoded(.array(groups.map(\.storeValue)))
    } catch let error as JSONText.NotStorable {
      throw DataStoreError(
        .invalidValue,
        "a value cannot be kept in the history: \(error.reason)",
        entity: groups.first?.entity
      )
    }
  }

  /// Changes the names of properties after a migration.
  ///
  /// A transaction that is not valid stays as it is, for the error when it is read.
  func rename(_ renaming: HistoryRenaming) throws {
    guard !renaming.isEmpty, try HistoryTable.exists(on: connection) else { return }
    let condition = SQLFragment.any(
      renaming.oldNames.sorted().map { name in
        let text = "\"\(name)\""
        return "instr(changes, \(bind: .text(text))) > 0"
      }
    )
    var last: Int64? = 0
    while let start = last {
      let later: SQLFragment = "number > \(bind: .integer(start)) AND (\(condition))"
      let sql: SQLFragment =
        "SELECT number, changes FROM \"_history\" WHERE \(later) ORDER BY number LIMIT 100"
      let found = try connection.withStatement(sql) { statement in
        try statement.rows { ($0.integer(at: 0), $0.text(at: 1).flatMap(HistoryReader.groups)) }
      }
      for (number, groups) in found {
        guard let groups, let renamed = renaming.renamed(groups) else { continue }
        let text = try Self.text(of: renamed)
        let update = "UPDATE \"_history\" SET changes = ? WHERE number = ?"
        try connection.run(update, .text(text), .integer(number))
      }
      last = found.last?.0
    }
  }

  /// Removes some of the oldest transactions that exceed the retention.
  private func prune(_ retention: HistoryRetention, last: Int64) throws {
    let newest = "SELECT total FROM \"_history\" ORDER BY number DESC LIMIT 1"
    guard let end = try connection.first(newest, read: { $0.integer(at: 0) }) else { return }
    let now = StoreEnvironment.current.now()
    let reader = try ReaderTable(connection: connection).lowest()
    let cut = try connection.withStatement(
      "SELECT number, timestamp, total FROM \"_history\" ORDER BY number LIMIT ?",
      .integer(Int64(HistoryRetention.step))
    ) { statement -> Int64? in
      var cut: Int64?
      var before: Int64?
      while try statement.step() {
        let number = statement.integer(at: 0)
        let total = statement.integer(at: 2)
        // The size of the first is not known; it counts as 0.
        let left = Int(clamping: end.subtractingReportingOverflow(before ?? total).partialValue)
        guard
          retention.isOver(
            number,
            Date(timeIntervalSinceReferenceDate: statement.real(at: 1)),
            sizeAfter: left,
            last: last,
            now: now,
            reader: reader
          )
        else { break }
        cut = number
        before = total
      }
      return cut
    }
    if let cut { try delete("number <= \(bind: .integer(cut))", cut: cut) }
  }

  /// Deletes the transactions that match a filter.
  func delete(_ filter: StoreHistoryFilter?) throws {
    let condition = filter.map(HistoryReader.condition) ?? .always
    let sql: SQLFragment = "SELECT max(number) FROM \"_history\" WHERE \(condition)"
    let last = try connection.withStatement(sql) {
      try $0.first { $0.isNull(at: 0) ? nil : $0.integer(at: 0) }
    }
    if let last { try delete(condition, cut: last) }
  }

  /// Deletes all transactions up to a save, which itself left none.
  func cutAll(at number: Int64, save: UUID?) throws {
    try connection.run("DELETE FROM \"_history\"")
    try setCut(number, save: save)
  }

  private func delete(_ condition: SQLFragment, cut: Int64) throws {
    let save = try connection.first("SELECT save FROM \"_history\" WHERE number = ?", .integer(cut))
    {
      $0.identifier(at: 0)
    }
    let sql: SQLFragment = "DELETE FROM \"_history\" WHERE \(condition)"
    try connection.withStatement(sql) { try $0.run() }
    try setCut(cut, save: save)
  }

  private func setCut(_ cut: Int64, save: UUID?) throws {
    guard try cut >= Metadata.integer(.historyCut, from: connection) ?? 0 else { return }
    if let save {
      try Metadata.set(.historyCutSave, to: save.uuidString, on: connection)
    } else {
      try Metadata.remove(Metadata.Key.historyCutSave.rawValue, on: connection)
    }
    try Metadata.set(.historyCut, to: cut, on: connection)
    if cut == connection.save { connection.isSaveInHistory = true }
  }
}
