import Foundation
import GRDB
import OpenSwiftData

extension Workload {
  /// Many new rows in one save.
  static func insert(_ scene: Scene) throws -> Workload {
    let count = scene.rows(50_000)
    let records = Record.first(count)
    let plain = records.map { PlainItem($0) }
    let peers = records.map { PeerRecord($0) }
    let control = Contender.control("SQLite by hand") { watch in
      let path = scene.freshPath("insert.db")
      defer { scene.remove(path) }
      let database = try RawDatabase(path)
      try database.createTable()
      try watch.time { try database.insert(plain) }
      return Digest.of(try database.statement("\(RawDatabase.selection) ORDER BY id").items())
    }
    let engine = Contender.engine { watch in
      let path = scene.freshPath("insert.db")
      defer { scene.remove(path) }
      let container = try scene.container("sqlite", path)
      let items = records.map { Item($0) }
      let context = ModelContext(container)
      try watch.time {
        for item in items { context.insert(item) }
        try context.save()
      }
      return Digest.of(try ModelContext(container).fetch(FetchDescriptor<Item>()))
    }
    let sql =
      "INSERT INTO item (id, \(RawDatabase.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    let statement = Contender.peer("GRDB, statement") { watch in
      try inserting(scene, watch) { database in
        let statement = try database.cachedStatement(sql: sql)
        for item in plain { try statement.execute(arguments: item.arguments) }
      }
    }
    let record = Contender.peer("GRDB, Codable records") { watch in
      try inserting(scene, watch) { database in
        for record in peers { try record.insert(database) }
      }
    }
    return Workload(
      title: "insert 50,000 rows in one save",
      unit: "row",
      count: count,
      targets: [Target(ratio: 1.4)],
      expected: Digest.of(records),
      contenders: [control, engine, statement, record]
    )
  }

  private static func inserting(
    _ scene: Scene,
    _ watch: Stopwatch,
    _ insert: (Database) throws -> Void
  ) throws -> UInt64 {
    let path = scene.freshPath("insert.db")
    defer { scene.remove(path) }
    try RawDatabase(path).createTable()
    let queue = try PeerDatabase.queue(path)
    try watch.time { try queue.write(insert) }
    let sql = "\(RawDatabase.selection) ORDER BY id"
    return try Digest.of(queue.read { try PeerDatabase.items($0, sql) })
  }

  /// One column of many loaded objects in one save.
  static func update(_ scene: Scene) throws -> Workload {
    try changes(
      scene,
      title: "update 10,000 loaded objects in one save",
      count: scene.rows(10_000),
      isOneSave: true,
      target: Target(ratio: 1.2)
    )
  }

  /// One column of one object a save, each durable.
  static func singleSaves(_ scene: Scene) throws -> Workload {
    try changes(
      scene,
      title: "1,000 saves of one changed object, each durable",
      count: scene.rows(1_000),
      isOneSave: false,
      target: Target(ratio: 1.1, clock: .wall)
    )
  }

  /// Adds one to a column of the first rows; each run adds to what the one before left.
  private static func changes(
    _ scene: Scene,
    title: String,
    count: Int,
    isOneSave: Bool,
    target: Target
  ) throws -> Workload {
    let rows = scene.rows(20_000)
    let container = try scene.container(
      "sqlite",
      try scene.copy(try scene.store("sqlite", rows: rows))
    )
    let raw = try RawDatabase(try scene.copy(try scene.database(rows: rows)))
    let peer = try PeerDatabase.queue(try scene.copy(try scene.database(rows: rows)))
    let sql = "UPDATE item SET number = ? WHERE id = ?"
    let control = Contender.control("SQLite by hand") { watch in
      let before = try raw.number("SELECT sum(number) FROM item")
      let items = try raw.statement("\(RawDatabase.selection) ORDER BY id LIMIT \(count)").items()
      let update = try raw.statement(sql)
      func store(_ item: PlainItem) throws {
        update.bind(item.number, at: 1)
        update.bind(item.id, at: 2)
        guard update.run() else { throw raw.failure(sql) }
      }
      try watch.time {
        if isOneSave {
          for item in items { item.number += 1 }
          try raw.transaction { for item in items { try store(item) } }
        } else {
          for item in items {
            item.number += 1
            try raw.transaction { try store(item) }
          }
        }
      }
      return UInt64(try raw.number("SELECT sum(number) FROM item") - before)
    }
    let engine = Contender.engine { watch in
      let context = ModelContext(container)
      var first = FetchDescriptor<Item>()
      first.fetchLimit = count
      let items = try context.fetch(first)
      let before = try total(container)
      try watch.time {
        for item in items {
          item.number += 1
          if !isOneSave { try context.save() }
        }
        if isOneSave { try context.save() }
      }
      return UInt64(try total(container) - before)
    }
    let kept = try KeptItemStore(try scene.copy(try scene.store("sqlite", rows: rows)))
    let limit = Contender.limit { watch in
      let total = "SELECT sum(number) FROM \"Item\""
      let before = try kept.store.database.number(total)
      let context = KeptContext()
      let all = "\(KeptItemStore.selection) ORDER BY _key LIMIT \(count)"
      let items = try kept.store.database.statement(all).keptItems(in: context)
      try watch.time {
        for item in items {
          item.add(1)
          if !isOneSave { try kept.save(context) }
        }
        if isOneSave { try kept.save(context) }
      }
      return UInt64(try kept.store.database.number(total) - before)
    }
    let statement = Contender.peer("GRDB, cached statement") { watch in
      let all = "\(RawDatabase.selection) ORDER BY id LIMIT \(count)"
      let items = try peer.read { try PeerDatabase.items($0, all) }
      let before = try peer.read { try Int.fetchOne($0, sql: "SELECT sum(number) FROM item") }
      func store(_ item: PlainItem, _ database: Database) throws {
        try database.cachedStatement(sql: sql).execute(arguments: [item.number, item.id])
      }
      try watch.time {
        for item in items {
          item.number += 1
          if !isOneSave { try peer.write { try store(item, $0) } }
        }
        if isOneSave { try peer.write { for item in items { try store(item, $0) } } }
      }
      let after = try peer.read { try Int.fetchOne($0, sql: "SELECT sum(number) FROM item") }
      return UInt64((after ?? 0) - (before ?? 0))
    }
    return Workload(
      title: title,
      unit: "object",
      count: count,
      targets: [target],
      expected: UInt64(count),
      contenders: [control, engine, limit, statement]
    )
  }

  private static func total(_ container: ModelContainer) throws -> Int {
    try ModelContext(container).fetch(FetchDescriptor<Item>()).reduce(0) { $0 + $1.number }
  }
}

extension PlainItem {
  fileprivate var arguments: StatementArguments {
    [
      id, number, group, rank, price, weight, name, city, note,
      created.timeIntervalSinceReferenceDate,
    ]
  }
}
