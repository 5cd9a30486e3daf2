import CSQLite
import Foundation
import StoreProtocol

/// The rules for a program's statements, which SQLite applies while it prepares them.
///
/// Only the program's statements are checked; those of the store itself run in between.
final class StatementRules {
  /// Pragmas that only read, also with an argument.
  private static let inspections: Set<String> = [
    "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
    "foreign_key_list", "foreign_key_check", "integrity_check", "quick_check",
  ]
  /// Pragmas that only read if they are given no value.
  private static let settings: Set<String> = [
    "data_version", "page_count", "page_size", "freelist_count", "user_version",
    "application_id", "compile_options", "encoding", "journal_mode", "collation_list",
    "function_list", "module_list", "pragma_list",
  ]

  static let readOnly = DataStoreError(
    .storeReadOnly,
    "the connection is read-only; write in withWritableConnection"
  )

  private let map: SchemaMap
  private let mayWrite: Bool
  private let kept: Set<String>
  private var isApplied = false

  /// The reason that the last statement was refused.
  private(set) var refusal: DataStoreError?

  /// The table to which the last statement writes directly; all other writes are foreign key
  /// actions.
  private var target: String?

  /// The tables to which statements wrote.
  private(set) var targets: Set<String> = []

  /// The columns to which statements wrote, as `Table.column`.
  private(set) var columns: Set<String> = []

  init(_ map: SchemaMap, mayWrite: Bool) {
    self.map = map
    self.mayWrite = mayWrite
    let searches = map.liveSearchIndexes.flatMap { [$0.name] + $0.innerTables }
    kept = Set(searches + FileFormat.ownTables)
  }

  /// Applies the rules to a connection while a body runs.
  func withAuthorizer<Result>(
    _ connection: Connection,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = connection.authorizer
    connection.authorize(by: authorization)
    defer { connection.authorize(by: outer) }
    return try body()
  }

  /// Runs a part of a program's statement.
  func applied<Result>(_ body: () throws -> Result) rethrows -> Result {
    isApplied = true
    target = nil
    refusal = nil
    defer { isApplied = false }
    return try body()
  }

  /// Throws if a prepared statement writes and the connection is read-only.
  func check(_ statement: Statement) throws {
    guard mayWrite || sqlite3_stmt_readonly(statement.handle) != 0 else { throw Self.readOnly }
  }

  /// Returns the answer to a request of SQLite's authorizer.
  private func authorization(_ action: Int32, _ first: String?, _ second: String?) -> Int32 {
    guard isApplied else { return SQLITE_OK }
    guard let objection = objection(to: action, first ?? "", second) else {
      // This makes SQLite delete row by row, so that it reports each row when all are deleted.
      let isOwn = action == SQLITE_DELETE && first.map { map.table(named: $0) != nil } ?? false
      return isOwn ? SQLITE_IGNORE : SQLITE_OK
    }
    refusal = refusal ?? objection
    return SQLITE_DENY
  }

  private func objection(
    to action: Int32,
    _ first: String,
    _ second: String?
  ) -> DataStoreError? {
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: nil
    case SQLITE_FUNCTION:
      second?.lowercased().hasPrefix("osd_") == true
        ? refused("the function \(second ?? "") is reserved for statements of the store") : nil
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE: objection(toWriting: first, second, action)
    case SQLITE_PRAGMA:
      isAllowed(first.lowercased(), second)
        ? nil : refused("the setting \(first) belongs to the store and cannot be used")
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT:
      refused("a statement cannot begin or end a transaction here")
    case SQLITE_ATTACH, SQLITE_DETACH:
      refused("other databases cannot be attached to a store's connection")
    default:
      refused("tables, indexes and other schema objects of a store's database cannot be changed")
    }
  }

  private func isAllowed(_ name: String, _ value: String?) -> Bool {
    Self.inspections.contains(name) || (value == nil && Self.settings.contains(name))
  }

  private func objection(
    toWriting table: String,
    _ column: String?,
    _ action: Int32
  ) -> DataStoreError? {
    // SQLite also asks this for its own schema tables, and itself refuses to write there.
    if table == "sqlite_master" || table == "sqlite_temp_master" { return nil }
    // Tables after the first one are written by foreign key actions.
    if target != nil, target != table { return nil }
    guard mayWrite else { return Self.readOnly }
    if kept.contains(table) || table.hasPrefix("sqlite_") {
      return refused("the table \(table) is written only by the store")
    }
    target = table
    targets.insert(table)
    guard action == SQLITE_UPDATE, let column, let map = map.table(named: table) else {
      if action != SQLITE_UPDATE { columns.insert("\(table).*") }
      return nil
    }
    columns.insert("\(table).\(column)")
    // The key under another name of SQLite's: rowid, oid or _rowid_.
    let isKey = column == "ROWID" && !map.columns.contains { $0.name == column }
    let isOwn = isKey || [map.keyName, map.versionName, map.entityColumnName].contains(column)
    return isOwn ? refused("the column \(column) of \(table) is written only by the store") : nil
  }

  private func refused(_ message: String) -> DataStoreError {
    DataStoreError(.unsupportedFeature, message)
  }
}
