import Foundation
import GRDB
import OpenSwiftData

extension Workload {
  /// All rows of a table into objects, and the same again when every object is known.
  static func fetch(_ scene: Scene, again: Bool = false) throws -> Workload {
    let count = scene.rows(100_000)
    let container = try scene.container("sqlite", try scene.store("sqlite", rows: count))
    let known = ModelContext(container)
    let held = again ? try known.fetch(FetchDescriptor<Item>()) : []
    let path = try scene.database(rows: count)
    let raw = try RawDatabase(path)
    let kept = try RawDatabase.kept(try scene.store("sqlite", rows: count))
    let peer = try PeerDatabase.queue(path)
    let engine = Contender.engine { watch in
      let context = again ? known : ModelContext(container)
      let items = try watch.time { try context.fetch(FetchDescriptor<Item>()) }
      return withExtendedLifetime(held) { Digest.of(items) }
    }
    let control = Contender.control("SQLite by hand") { watch in
      let statement = try raw.statement("\(RawDatabase.selection) ORDER BY id")
      return Digest.of(watch.time { statement.items() })
    }
    let limit = Contender.limit { watch in
      let context = KeptContext()
      let statement = try kept.statement("\(KeptItemStore.selection) ORDER BY _key")
      return Digest.of(try watch.time { try statement.keptItems(in: context) })
    }
    let sql = "\(RawDatabase.selection) ORDER BY id"
    let byHand = Contender.peer("GRDB, rows by number") { watch in
      try Digest.of(watch.time { try peer.read { try PeerDatabase.items($0, sql) } })
    }
    let records = Contender.peer("GRDB, Codable records") { watch in
      try Digest.of(watch.time { try peer.read { try PeerRecord.fetchAll($0, sql: sql) } })
    }
    return Workload(
      title: again
        ? "fetch 100,000 rows whose objects are all registered" : "fetch 100,000 rows into objects",
      unit: "row",
      count: count,
      targets: [Target(ratio: again ? 0.85 : 1.3)],
      expected: Digest.of(Record.first(count)),
      contenders: [control, engine] + (again ? [] : [limit, byHand, records])
    )
  }

  /// Single rows by key.
  static func fetchByKey(_ scene: Scene, registered: Bool) throws -> Workload {
    let rows = scene.rows(100_000)
    let count = scene.rows(10_000)
    let container = try scene.container("sqlite", try scene.store("sqlite", rows: rows))
    let all = ModelContext(container)
    let held = registered ? try all.fetch(FetchDescriptor<Item>()) : []
    let keys = try all.fetchIdentifiers(FetchDescriptor<Item>())
    // Steps by a number that shares no factor with the count, so that neighbours lie far apart.
    let picks = (0..<count).map { $0 * 7_919 % rows }
    // In the order in which they are asked for, as the numbers of the others.
    let identifiers = picks.map { keys[$0] }
    let path = try scene.database(rows: rows)
    let raw = try RawDatabase(path)
    let kept = try RawDatabase.kept(try scene.store("sqlite", rows: rows))
    let peer = try PeerDatabase.queue(path)
    let control = Contender.control("SQLite by hand") { watch in
      let statement = try raw.statement("\(RawDatabase.selection) WHERE id = ?")
      return Digest.of(
        watch.time {
          picks.compactMap { pick in
            statement.bind(pick + 1, at: 1)
            return statement.items().first
          }
        }
      )
    }
    let engine = Contender.engine { watch in
      let context = registered ? all : ModelContext(container)
      let items = watch.time { identifiers.compactMap { context.model(for: $0) as? Item } }
      return withExtendedLifetime(held) { Digest.of(items) }
    }
    let limit = Contender.limit { watch in
      let context = KeptContext()
      let lock = NSLock()
      let statement = try kept.statement("\(KeptItemStore.selection) WHERE _key = ?")
      let items = try watch.time {
        try picks.compactMap { pick in
          if let known = context.items[pick + 1] { return known }
          // Other threads may use the store.
          lock.lock()
          defer { lock.unlock() }
          statement.bind(pick + 1, at: 1)
          return try statement.keptItems(in: context).first
        }
      }
      return Digest.of(items)
    }
    let cached = Contender.peer("GRDB, cached statement") { watch in
      let sql = "\(RawDatabase.selection) WHERE id = ?"
      let items = try watch.time {
        try picks.flatMap { pick in
          try peer.read { try PeerDatabase.items($0, sql, arguments: [pick + 1]) }
        }
      }
      return Digest.of(items)
    }
    let record = Contender.peer("GRDB, fetchOne(key:)") { watch in
      let items = try watch.time {
        try picks.compactMap { pick in
          try peer.read { try PeerRecord.fetchOne($0, key: pick + 1) }
        }
      }
      return Digest.of(items)
    }
    return Workload(
      title: registered ? "find an object by its key, registered" : "fetch an object by its key",
      unit: "object",
      count: count,
      targets: [Target(ratio: registered ? 0.15 : 1.3)],
      expected: Digest.of(picks.map { Record($0) }),
      contenders: [control, engine] + (registered ? [] : [limit, cached, record])
    )
  }
}
