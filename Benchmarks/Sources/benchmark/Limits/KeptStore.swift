import Foundation

extension RawDatabase {
  /// Opens a store of the engine by hand, with the settings that its promises ask for: references
  /// hold, a damaged page is found, and no row is ever written into a folder for temporary files.
  static func kept(_ path: String) throws -> RawDatabase {
    let database = try RawDatabase(path)
    try database.execute(
      "PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY"
    )
    return database
  }
}

/// A store of the engine, written by hand and with all that its promises ask of a save: versions of
/// rows, a line of the history with the number of the save, a lock against other processes, and a
/// notification of what was saved.
final class KeptStore {
  /// The identifier of a row, unique among all stores.
  struct Identifier {
    let store: KeptStore
    let entity: StaticString
    let key: Int
  }

  /// The changes of a save, for its history and its notification.
  struct Changes {
    var history: String
    var inserted: [Identifier] = []
    var updated: [Identifier] = []
    var deleted: [Identifier] = []
  }

  let database: RawDatabase
  private let path: String
  private let beginReading: RawStatement
  private let begin: RawStatement
  private let commit: RawStatement
  private let saves: RawStatement
  private let nextKey: RawStatement
  private let setNextKey: RawStatement
  private let total: RawStatement
  private let note: RawStatement

  /// Opens a store that the engine has made.
  init(_ path: String) throws {
    self.path = path
    database = try RawDatabase.kept(path)
    beginReading = try database.statement("BEGIN")
    begin = try database.statement("BEGIN IMMEDIATE")
    commit = try database.statement("COMMIT")
    func value(_ key: String) -> String {
      "SELECT value FROM \"OpenSwiftData\" WHERE key = '\(key)'"
    }
    func setting(_ key: String) -> String {
      "UPDATE \"OpenSwiftData\" SET value = ? WHERE key = '\(key)'"
    }
    saves = try database.statement(
      "SELECT max((\(value("saves"))), coalesce((SELECT max(number) FROM _history), 0))"
    )
    nextKey = try database.statement(value("nextKey"))
    setNextKey = try database.statement(setting("nextKey"))
    total = try database.statement("SELECT total FROM _history ORDER BY number DESC LIMIT 1")
    note = try database.statement(
      """
      INSERT INTO _history (number, timestamp, author, bundle, process, changes, total)
      VALUES (?, ?, NULL, ?, ?, ?, ?)
      """
    )
  }

  /// Runs a save: the closure gets its number and says what the history is to say.
  func save(_ body: (Int) throws -> Changes) throws {
    let lock = try RawFile.opened(path + ".lock", O_RDWR | O_CREAT)
    defer { close(lock) }
    guard flock(lock, LOCK_EX) == 0 else { throw BenchmarkError("\(path) cannot be locked") }
    try run(begin)
    let number = try value(saves) + 1
    let changes = try body(number)
    let size = try value(total) + changes.history.utf8.count + 64
    note.bind(number, at: 1)
    note.bind(Date().timeIntervalSinceReferenceDate, at: 2)
    note.bind("benchmark", at: 3)
    note.bind("1", at: 4)
    note.bind(changes.history, at: 5)
    note.bind(size, at: 6)
    try run(note)
    try run(commit)
    NotificationCenter.default.post(
      name: Notification.Name("benchmark.saved"),
      object: nil,
      userInfo: [
        "inserted": changes.inserted, "updated": changes.updated, "deleted": changes.deleted,
      ]
    )
  }

  /// Runs a closure whose statements all read one state.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    try run(beginReading)
    let result = try body()
    try run(commit)
    return result
  }

  /// Sees to it that members come in the order of their keys, as those of the benchmark do.
  func checkOrders(_ statement: borrowing RawStatement, _ keys: String) throws {
    statement.bind(keys, at: 1)
    defer { statement.reset() }
    if try statement.checkedStep() { throw BenchmarkError("members have an order of their own") }
  }

  /// The identifiers of rows.
  func identifiers(_ keys: [Int], of entity: StaticString) -> [Identifier] {
    keys.map { Identifier(store: self, entity: entity, key: $0) }
  }

  /// Takes keys that no row ever had.
  func takeKeys(_ count: Int) throws -> Int {
    let first = try value(nextKey)
    setNextKey.bind(first + count, at: 1)
    try run(setNextKey)
    return first
  }

  private func run(_ statement: borrowing RawStatement) throws {
    guard statement.run() else { throw database.failure("a save") }
  }

  private func value(_ statement: borrowing RawStatement) throws -> Int {
    defer { statement.reset() }
    guard try statement.checkedStep() else { return 0 }
    return statement.integer(0)
  }
}

/// Keys as the history has them, neighbours as a range, and as a plain list.
enum KeyRanges {
  static func list(_ keys: [Int]) -> String {
    var text = "["
    for key in keys {
      if text.utf8.count > 1 { text += "," }
      text += String(key)
    }
    return text + "]"
  }

  static func text(_ keys: [Int]) -> String {
    var text = "["
    var start = 0
    while start < keys.count {
      var end = start
      while end + 1 < keys.count, keys[end + 1] == keys[end] + 1 { end += 1 }
      if start > 0 { text += "," }
      text += start == end ? "\(keys[start])" : "[\(keys[start]),\(keys[end])]"
      start = end + 1
    }
    return text + "]"
  }
}
