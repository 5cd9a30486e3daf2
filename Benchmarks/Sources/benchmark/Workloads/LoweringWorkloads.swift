import Foundation
import OpenSwiftData

extension Workload {
  /// A predicate and an order brought into the plain form that stores evaluate.
  ///
  /// Making the predicate is in the control and in what the engine does: its cost is Foundation's.
  static func lowering(_ scene: Scene) throws -> Workload {
    let count = scene.rows(20_000)
    let schema = Schema([Item.self])
    // What is made once for a model and its key paths is there after the first.
    _ = try StoreQuery(descriptor(0), schema: schema)
    let control = Contender.control("the descriptor alone") { watch in
      watch.time {
        (0..<count).reduce(into: UInt64(0)) { sum, bound in
          sum += UInt64(descriptor(bound).fetchLimit ?? 0)
        }
      }
    }
    let engine = Contender.engine { watch in
      try watch.time {
        try (0..<count).reduce(into: UInt64(0)) { sum, bound in
          sum += UInt64(try StoreQuery(descriptor(bound), schema: schema).limit ?? 0)
        }
      }
    }
    return Workload(
      title: "make a predicate of three conditions with an order, and lower it",
      unit: "query",
      count: count,
      expected: UInt64(count * 20),
      contenders: [control, engine]
    )
  }

  private static func descriptor(_ bound: Int) -> FetchDescriptor<Item> {
    let city = "Oslo"
    var page = FetchDescriptor<Item>(
      predicate: #Predicate { $0.group == bound && $0.rank > bound && $0.city != city },
      sortBy: [SortDescriptor(\.rank), SortDescriptor(\.name)]
    )
    page.fetchLimit = 20
    return page
  }

  /// The first query of a store that was just opened: nothing of its shape is known or prepared.
  static func firstQuery(_ scene: Scene) throws -> Workload {
    let rows = scene.rows(20_000)
    let count = 20
    let stored = try scene.store("sqlite", rows: rows)
    let path = try scene.database(rows: rows)
    let sql = """
      \(RawDatabase.selection) WHERE "group" = ? AND rank > ? AND city <> ?
      ORDER BY rank, name, id LIMIT 20
      """
    let control = Contender.control("SQLite by hand") { watch in
      let opened = try (0..<count).map { _ in try RawDatabase(path) }
      let items = try watch.time {
        try opened.enumerated().flatMap { bound, database in
          let statement = try database.statement(sql)
          statement.bind(bound, at: 1)
          statement.bind(bound, at: 2)
          statement.bind("Oslo", at: 3)
          return statement.items()
        }
      }
      return Digest.of(items)
    }
    let engine = Contender.engine { watch in
      // A store for itself each time: containers of one path in one process share what they know.
      let copies = try (0..<count).map { _ in try scene.copy(stored) }
      defer { for copy in copies { scene.remove(copy) } }
      let containers = try copies.map { try scene.container("sqlite", $0) }
      let items = try watch.time {
        try containers.enumerated().flatMap { bound, container in
          try ModelContext(container).fetch(descriptor(bound))
        }
      }
      return Digest.of(items)
    }
    let records = Record.first(rows)
    let expected = (0..<count).flatMap { bound in
      records.filter { $0.group == bound && $0.rank > bound && $0.city != "Oslo" }
        .sorted { ($0.rank, $0.name, $0.id) < ($1.rank, $1.name, $1.id) }.prefix(20)
    }
    return Workload(
      title: "the first query of a store that was just opened",
      unit: "query",
      count: count,
      expected: Digest.of(expected),
      contenders: [control, engine]
    )
  }

  /// A closed SQLite store opened, and its rows counted.
  static func open(_ scene: Scene) throws -> Workload {
    let rows = scene.rows(20_000)
    let count = 20
    let stored = try scene.store("sqlite", rows: rows)
    let path = try scene.database(rows: rows)
    let control = Contender.control("SQLite by hand") { watch in
      try watch.time {
        try (0..<count).reduce(into: UInt64(0)) { sum, _ in
          sum += UInt64(try RawDatabase(path).number("SELECT count(*) FROM item"))
        }
      }
    }
    let engine = Contender.engine { watch in
      try watch.time {
        try (0..<count).reduce(into: UInt64(0)) { sum, _ in
          let context = ModelContext(try scene.container("sqlite", stored))
          sum += UInt64(try context.fetchCount(FetchDescriptor<Item>()))
        }
      }
    }
    return Workload(
      title: "open a SQLite store and count its rows",
      unit: "opening",
      count: count,
      expected: UInt64(count * rows),
      contenders: [control, engine]
    )
  }
}
