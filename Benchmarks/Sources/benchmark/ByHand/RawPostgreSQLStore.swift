import Foundation

/// The tables of a store that the engine created, by hand.
final class RawPostgreSQLStore {
  let database: RawPostgreSQL
  private let space: String

  /// The columns that the engine reads.
  static let columns = """
    _key, _version, _spelling::text, "number", "group", "rank", "price", "weight", "name", "city", \
    "note", "created"
    """
  private static let types = [
    "int8", "int8", "int8", "int8", "int8", "float8", "float8", "text", "text", "text", "float8",
  ]
  /// The number of rows that one statement adds, which is the engine's.
  private static let rowsAtOnce = 1000

  /// Connects to the server of a store in a schema of the database.
  init(_ url: String, _ space: String) throws {
    self.space = space
    database = try RawPostgreSQL(url)
    let item = "\(space).\"Item\""
    try database.prepare("all", "SELECT \(Self.columns) FROM \(item) ORDER BY _key")
    try database.prepare("one", "SELECT \(Self.columns) FROM \(item) WHERE _key = $1")
    try database.prepare("begin", "BEGIN")
    try database.prepare("commit", "COMMIT")
    let arrays = Self.types.enumerated().map { "$\($0 + 1)::\($1)[]" }.joined(separator: ", ")
    try database.prepare(
      "insert",
      """
      INSERT INTO \(item) (_key, _version, "number", "group", "rank", "price", "weight", "name", \
      "city", "note", "created") SELECT * FROM unnest(\(arrays))
      """
    )
    try database.prepare("update", "UPDATE \(item) SET \"number\" = $1 WHERE _key = $2")
    try database.prepare(
      "change",
      "UPDATE \(item) SET \"number\" = $1, _version = $2 WHERE _key = $3 AND _version = $4"
    )
    try database.prepare(
      "numbers",
      "UPDATE \(space)._meta SET last_save = last_save + 1 RETURNING last_save, next_key"
    )
    try database.prepare("next", "UPDATE \(space)._meta SET next_key = $1")
    try database.prepare(
      "save",
      "INSERT INTO \(space)._saves (save, number, at) VALUES ($1, $2, $3)"
    )
    try database.prepare(
      "history",
      """
      INSERT INTO \(space)._history (number, save, at, author, origin, bundle, process, size, \
      groups) VALUES ($1, $2, $3, NULL, 'program', 'benchmark', '1', 100, $4::json)
      """
    )
  }

  /// Returns all items in the order of their keys.
  func items() throws -> [PlainItem] { try database.rows(prepared: "all", RawParameters()).items }

  /// Returns the item of a key.
  func item(_ key: Int) throws -> PlainItem? {
    var parameters = RawParameters()
    parameters.add(key)
    return try database.rows(prepared: "one", parameters).items.first
  }

  /// Calls a function with all items, which a cursor reads in portions.
  func forEachItem(_ body: (PlainItem) -> Void) throws {
    try database.execute(
      "BEGIN; DECLARE c CURSOR FOR SELECT \(Self.columns) FROM \(space).\"Item\" ORDER BY _key"
    )
    while case let rows = try database.rows("FETCH 5000 FROM c"), rows.count > 0 {
      for row in 0..<rows.count { body(rows.item(row)) }
    }
    try database.execute("COMMIT")
  }

  /// Inserts items in one transaction, with the row of the history, in two round trips.
  func insert(_ items: [PlainItem]) throws {
    let numbers = try database.pipeline([("begin", .none), ("numbers", .none)])[1]
    let (save, first) = (numbers.integer(0, 0), numbers.integer(0, 1))
    var statements: [(name: String, parameters: RawParameters)] = []
    for start in stride(from: 0, to: items.count, by: Self.rowsAtOnce) {
      let part = items[start..<min(start + Self.rowsAtOnce, items.count)]
      var parameters = RawParameters()
      parameters.add(part) { first + $0.id - 1 }
      parameters.add(part) { _ in save }
      parameters.add(part, \.number)
      parameters.add(part, \.group)
      parameters.add(part, \.rank)
      parameters.add(part, \.price)
      parameters.add(part, \.weight)
      parameters.add(part, \.name)
      parameters.add(part, \.city)
      parameters.add(part, \.note)
      parameters.add(part, \.created.timeIntervalSinceReferenceDate)
      statements.append(("insert", parameters))
    }
    var next = RawParameters()
    next.add(first + items.count)
    statements.append(("next", next))
    statements += history(save, "{\"insert\":\"Item\",\"keys\":[[\(first),\(items.count)]]}")
    _ = try database.pipeline(statements + [("commit", .none)])
  }

  /// Stores the number of an item in a transaction, in one round trip.
  func update(_ item: PlainItem) throws {
    var parameters = RawParameters()
    parameters.add(item.number)
    parameters.add(item.id)
    _ = try database.pipeline([("begin", .none), ("update", parameters), ("commit", .none)])
  }

  /// Stores the number of an item with its version, the number of the save and the history, in two
  /// round trips.
  func save(_ item: PlainItem) throws {
    var key = RawParameters()
    key.add(item.id)
    let read = try database.pipeline([("begin", .none), ("numbers", .none), ("one", key)])
    let save = read[1].integer(0, 0)
    let (version, before) = (read[2].integer(0, 1), read[2].integer(0, 3))
    var parameters = RawParameters()
    parameters.add(item.number)
    parameters.add(save)
    parameters.add(item.id)
    parameters.add(version)
    let change =
      "{\"update\":\"Item\",\"keys\":[\(item.id)],\"properties\":[\"number\"],"
      + "\"before\":[[\(before)]]}"
    _ = try database.pipeline(
      [("change", parameters)] + history(save, change) + [("commit", .none)]
    )
  }

  private func history(
    _ save: Int,
    _ change: String
  ) -> [(name: String, parameters: RawParameters)] {
    let identifier = UUID()
    let time = Date().timeIntervalSinceReferenceDate
    var row = RawParameters()
    row.add(identifier)
    row.add(save)
    row.add(time)
    var history = RawParameters()
    history.add(save)
    history.add(identifier)
    history.add(time)
    history.add("[\(change)]")
    return [("save", row), ("history", history)]
  }
}

/// One new row in one of many stores, by statements that are not prepared: each connection would have
/// those of each store.
extension RawPostgreSQL {
  /// A key that no row of an earlier run has.
  private static let firstKey = Int.random(in: 1...(1 << 60))

  /// Inserts an item, in one round trip.
  func add(_ item: PlainItem, to space: String) throws {
    let key = -Self.firstKey - item.id
    _ = try rows(Self.insertion(space), RawParameters(item, key: key, save: 0))
  }

  /// Inserts an item with its version, the number of the save and the history, in two round trips.
  func save(_ item: PlainItem, to space: String) throws {
    let numbers = try pipeline(
      sql: [
        ("BEGIN", .none),
        (
          "UPDATE \(space)._meta SET last_save = last_save + 1 RETURNING last_save, next_key", .none
        ),
      ]
    )[1]
    let (save, key) = (numbers.integer(0, 0), numbers.integer(0, 1))
    let identifier = UUID()
    let time = Date().timeIntervalSinceReferenceDate
    var next = RawParameters()
    next.add(key + 1)
    var row = RawParameters()
    row.add(identifier)
    row.add(save)
    row.add(time)
    var history = RawParameters()
    history.add(save)
    history.add(identifier)
    history.add(time)
    history.add("[{\"insert\":\"Item\",\"keys\":[\(key)]}]")
    _ = try pipeline(
      sql: [
        (Self.insertion(space), RawParameters(item, key: key, save: save)),
        ("UPDATE \(space)._meta SET next_key = $1", next),
        ("INSERT INTO \(space)._saves (save, number, at) VALUES ($1, $2, $3)", row),
        (
          """
          INSERT INTO \(space)._history (number, save, at, author, origin, bundle, process, size, \
          groups) VALUES ($1, $2, $3, NULL, 'program', 'benchmark', '1', 100, $4::json)
          """, history
        ),
        ("COMMIT", .none),
      ]
    )
  }

  private static func insertion(_ space: String) -> String {
    """
    INSERT INTO \(space)."Item" (_key, _version, "number", "group", "rank", "price", "weight", \
    "name", "city", "note", "created") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    """
  }
}

extension RawParameters {
  /// The values of an item's row.
  fileprivate init(_ item: PlainItem, key: Int, save: Int) {
    add(key)
    add(save)
    add(item.number)
    add(item.group)
    add(item.rank)
    add(item.price)
    add(item.weight)
    add(item.name)
    add(item.city)
    add(item.note)
    add(item.created.timeIntervalSinceReferenceDate)
  }
}

extension RawParameters {
  static let none = RawParameters()
}

extension RawRows {
  /// Returns the item of a row of ``RawPostgreSQLStore/columns``.
  func item(_ row: Int) -> PlainItem {
    PlainItem(
      id: integer(row, 0),
      number: integer(row, 3),
      group: integer(row, 4),
      rank: integer(row, 5),
      price: double(row, 6),
      weight: double(row, 7),
      name: text(row, 8),
      city: text(row, 9),
      note: text(row, 10),
      created: Date(timeIntervalSinceReferenceDate: double(row, 11))
    )
  }

  var items: [PlainItem] { (0..<count).map(item) }
}
