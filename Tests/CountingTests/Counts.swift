/// What one operation asked of the layers below it.
struct Counts {
  /// The requests to the store that ask something, and its batches of changes.
  var requests = 0
  /// The rows that the store gave.
  var rows = 0
  /// The objects that were made.
  var objects = 0
  /// The statements of SQL that were prepared; nil for a store without.
  var prepared: Int?
  /// The steps of statements: one for each row of a result, and one for its end.
  var stepped: Int?
  /// The store's own calls of the system on files; nil for a store without files.
  var calls: Int?
  /// The writes into files, SQLite's among them, and the bytes in them.
  var writes: Int?
  var bytes: Int?
  /// How often the medium was waited for.
  var syncs: Int?

  private static let columns = [
    "requests", "rows", "objects", "prepared", "stepped", "calls", "writes", "bytes", "syncs",
  ]

  /// The first line of a table.
  static let head = line("operation", "store", columns)

  /// A line of a table.
  func line(_ operation: String, _ store: String) -> String {
    let numbers = [
      requests, rows, objects, prepared, stepped, calls, writes, bytes, syncs,
    ]
    return Self.line(operation, store, numbers.map { $0.map { "\($0)" } ?? "-" })
  }

  private static func line(_ operation: String, _ store: String, _ cells: [String]) -> String {
    operation.padded(46) + store.padded(7)
      + zip(cells, columns).map { $0.padded(max($1.count, 7) + 2, toLeft: true) }.joined()
  }
}

extension String {
  fileprivate func padded(_ width: Int, toLeft: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - count))
    return toLeft ? spaces + self : self + spaces
  }
}
