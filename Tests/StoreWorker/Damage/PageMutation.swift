import CSQLite

/// Damage to a database where its format is most easily hurt: headers, pages, cells.
enum PageMutation {
  private static let pageSize = 4096

  /// Does one thing to a database.
  ///
  /// - Returns: What it was.
  static func apply(to bytes: inout [UInt8], _ numbers: inout Numbers) -> String {
    guard bytes.count > pageSize else { return ByteMutation.apply(to: &bytes, &numbers) }
    let page = numbers.next(below: bytes.count / pageSize)
    switch numbers.next(below: 8) {
    case 0: return set(&bytes, numbers.next(below: 100), "file header", &numbers)
    case 1, 2:
      let start = page == 0 ? 100 : page * pageSize
      return set(&bytes, start + numbers.next(below: 12), "header of page \(page)", &numbers)
    case 3:
      let start = page == 0 ? 108 : page * pageSize + 8
      return set(&bytes, start + numbers.next(below: 40), "cell pointers of \(page)", &numbers)
    case 4: return set(&bytes, cell(in: bytes, page, &numbers), "cell of page \(page)", &numbers)
    case 5:
      for index in 0..<pageSize { bytes[page * pageSize + index] = 0 }
      return "page \(page) zero"
    case 6:
      let other = numbers.next(below: bytes.count / pageSize)
      for index in 0..<pageSize { bytes.swapAt(page * pageSize + index, other * pageSize + index) }
      return "pages \(page) and \(other) exchanged"
    default:
      bytes.removeSubrange((page * pageSize)...)
      return "cut at page \(page)"
    }
  }

  /// The index of a byte of a cell's head, which contains sizes and types.
  private static func cell(in bytes: [UInt8], _ page: Int, _ numbers: inout Numbers) -> Int {
    let start = page * pageSize + (page == 0 ? 100 : 0)
    let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
    let interior = bytes[start] == 2 || bytes[start] == 5
    let pointer = start + (interior ? 12 : 8) + 2 * numbers.next(below: min(count, 400))
    guard pointer + 1 < bytes.count else { return start }
    let offset = Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1])
    return min(page * pageSize + offset + numbers.next(below: 30), bytes.count - 1)
  }

  private static func set(
    _ bytes: inout [UInt8],
    _ index: Int,
    _ what: String,
    _ numbers: inout Numbers
  ) -> String {
    if numbers.next(below: 2) == 0 {
      bytes[index] ^= 1 << UInt8(numbers.next(below: 8))
    } else {
      bytes[index] = ByteMutation.edge(&numbers)
    }
    return "\(what): byte \(index) is \(bytes[index])"
  }
}

/// What another program may do to a database by SQL.
enum SQLTamper {
  private static let values = [
    "NULL", "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "4611686018427387904",
    "9e999", "-0.0", "1.5", "''", "'x'", "x''", "x'ff'", "x'7ff8000000000000'", "'[1,2]'",
    "'[1,1]'",
    "'{\"$date\":1e308}'", "'[[[['", "'{\"a\":{\"$object\":{\"$a\":1}}}'", "cast(x'ff' AS TEXT)",
    "'NaN'", "'1e127'", "'2.0.0'", "zeroblob(100000)", "hex(zeroblob(50000))",
    "'{\"$file\":\"0123456789abcdef0123456789abcdef\",\"bytes\":9223372036854775807,"
      + "\"crc32c\":\"00000000\"}'",
    "'{\"$file\":\"../../../../etc/passwd0000000000\",\"bytes\":1,\"crc32c\":\"00000000\"}'",
  ]
  private static let columns = [
    "code", "number", "small", "large", "weight", "price", "isWhole", "found", "tag", "source",
    "mood", "place", "words", "notes", "photo", "raw", "shelf", "_version", "_key",
  ]
  private static let structures = [
    "CREATE TRIGGER t AFTER INSERT ON Shelf BEGIN DELETE FROM Specimen; END",
    "CREATE VIEW v AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT * FROM c",
    "CREATE VIRTUAL TABLE f USING fts5(t)", "ALTER TABLE Shelf ADD COLUMN extra TEXT",
    "DROP TABLE Shelf", "DROP TABLE \"words Specimen(notes)\"", "DROP TABLE OpenSwiftData",
    "ALTER TABLE Specimen RENAME COLUMN number TO nummer", "VACUUM", "PRAGMA page_size=512; VACUUM",
    "PRAGMA page_size=65536; VACUUM", "PRAGMA user_version = 99", "PRAGMA user_version = -1",
    "PRAGMA application_id = 0", "PRAGMA auto_vacuum = 1; VACUUM", "CREATE TABLE mine(x)",
    "PRAGMA journal_mode=DELETE", "DELETE FROM OpenSwiftData", "CREATE INDEX i ON Shelf(_key)",
    "DELETE FROM \"words Specimen(notes)_data\"", "DELETE FROM \"words Specimen(notes)_idx\"",
    "UPDATE \"words Specimen(notes)_data\" SET block = x'ff00ff'",
  ]
  private static let masters = [
    "UPDATE sqlite_master SET sql = 'CREATE TABLE Shelf(_key INTEGER PRIMARY KEY, label BLOB)'"
      + " WHERE name = 'Shelf'",
    "UPDATE sqlite_master SET rootpage = 2 WHERE name = 'Shelf'",
    "UPDATE sqlite_master SET rootpage = 99999 WHERE name = 'Specimen'",
    "UPDATE sqlite_master SET rootpage = 1 WHERE type = 'index'",
    "UPDATE sqlite_master SET sql = NULL WHERE type = 'table'",
    "UPDATE sqlite_master SET sql = 'CREATE TABLE' WHERE name = 'OpenSwiftData'",
    "UPDATE sqlite_master SET name = 'Specimen', tbl_name = 'Specimen' WHERE name = 'Shelf'",
    "DELETE FROM sqlite_master WHERE type = 'index'",
    "INSERT INTO sqlite_master VALUES ('view', 'w', 'w', 0, 'CREATE VIEW w AS SELECT * FROM w')",
    "INSERT INTO sqlite_master SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master",
  ]

  /// A statement that SQLite takes from anybody.
  static func statement(_ numbers: inout Numbers) -> String {
    let value = values[numbers.next(below: values.count)]
    switch numbers.next(below: 6) {
    case 0, 1:
      let column = columns[numbers.next(below: columns.count)]
      let rows = numbers.next(below: 2) == 0 ? " WHERE _key = (SELECT min(_key) FROM Specimen)" : ""
      return "UPDATE OR REPLACE Specimen SET \"\(column)\" = \(value)\(rows)"
    case 2:
      let keys = [
        "identifier", "schema", "fingerprint", "nextKey", "saves", "inexact:Specimen.code",
        "files:Specimen.photo", "x",
      ]
      let key = keys[numbers.next(below: keys.count)]
      return "INSERT OR REPLACE INTO OpenSwiftData VALUES ('\(key)', \(value))"
    case 3:
      let column = ["owner", "position", "member"][numbers.next(below: 3)]
      return "UPDATE OR REPLACE \"Specimen.friends\" SET \(column) = \(value) WHERE rowid % 2 = 0"
    case 4: return structures[numbers.next(below: structures.count)]
    default: return "PRAGMA writable_schema=ON; " + masters[numbers.next(below: masters.count)]
    }
  }

  /// Runs a statement on a closed database; what SQLite refuses changes nothing.
  static func run(_ sql: String, on path: String) {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return }
    _ = csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
    sqlite3_exec(handle, sql, nil, nil, nil)
  }
}
