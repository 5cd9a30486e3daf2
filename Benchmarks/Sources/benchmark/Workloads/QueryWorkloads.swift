import Foundation
import GRDB
import OpenSwiftData

extension Workload {
  /// Filter, sort, limit and offset over an index.
  static func indexedPage(_ scene: Scene) throws -> Workload {
    let rows = scene.rows(100_000)
    let count = Record.groups
    let limit = 20
    let offset = 40
    let container = try scene.container("sqlite", try scene.store("sqlite", rows: rows))
    let path = try scene.database(rows: rows)
    let raw = try RawDatabase(path)
    let kept = try RawDatabase.kept(try scene.store("sqlite", rows: rows))
    let peer = try PeerDatabase.queue(path)
    let sql =
      "\(RawDatabase.selection) WHERE \"group\" = ? ORDER BY rank, id LIMIT \(limit) OFFSET \(offset)"
    let control = Contender.control("SQLite by hand") { watch in
      let items = try watch.time {
        let statement = try raw.statement(sql)
        return (0..<count).flatMap { group in
          statement.bind(group, at: 1)
          return statement.items()
        }
      }
      return Digest.of(items)
    }
    let engine = Contender.engine { watch in
      let context = ModelContext(container)
      let items = try watch.time {
        try (0..<count).flatMap { group in
          try context.fetch(indexedPage(of: group, limit: limit, offset: offset))
        }
      }
      return Digest.of(items)
    }
    let promises = Contender.limit { watch in
      let context = KeptContext()
      let statement = try kept.statement(
        "\(KeptItemStore.selection) WHERE \"group\" = ? ORDER BY rank, _key LIMIT ? OFFSET ?"
      )
      let items = try watch.time {
        try (0..<count).flatMap { group in
          use(indexedPage(of: group, limit: limit, offset: offset))
          statement.bind(group, at: 1)
          statement.bind(limit, at: 2)
          statement.bind(offset, at: 3)
          return try statement.keptItems(in: context)
        }
      }
      return Digest.of(items)
    }
    let cached = Contender.peer("GRDB, cached statement") { watch in
      let items = try watch.time {
        try (0..<count).flatMap { group in
          try peer.read { try PeerDatabase.items($0, sql, arguments: [group]) }
        }
      }
      return Digest.of(items)
    }
    let interface = Contender.peer("GRDB, query interface") { watch in
      let items = try watch.time {
        try (0..<count).flatMap { group in
          let request = PeerRecord.filter(Column("group") == group)
            .order(Column("rank"), Column("id")).limit(limit, offset: offset)
          return try peer.read { try request.fetchAll($0) }
        }
      }
      return Digest.of(items)
    }
    let records = Record.first(rows)
    let expected = (0..<count).flatMap { group in
      stride(from: group, to: rows, by: Record.groups).map { records[$0] }
        .sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }.dropFirst(offset).prefix(limit)
    }
    return Workload(
      title: "filter, sort, limit 20, offset 40, by an index",
      unit: "query",
      count: count,
      targets: [Target(ratio: 1.15)],
      expected: Digest.of(expected),
      contenders: [control, engine, promises, cached, interface]
    )
  }

  private static func indexedPage(
    of group: Int,
    limit: Int,
    offset: Int
  ) -> FetchDescriptor<Item> {
    var page = FetchDescriptor<Item>(
      predicate: #Predicate { $0.group == group },
      sortBy: [SortDescriptor(\.rank)]
    )
    page.fetchLimit = limit
    page.fetchOffset = offset
    return page
  }

  /// Takes what a program has made for the engine, so that making it is in the time.
  @inline(never)
  private static func use(_ descriptor: FetchDescriptor<Item>) {}

  /// Filter, sort and limit where no index helps.
  static func scannedPage(_ scene: Scene) throws -> Workload {
    let rows = scene.rows(100_000)
    let count = 5
    let container = try scene.container("sqlite", try scene.store("sqlite", rows: rows))
    let path = try scene.database(rows: rows)
    let raw = try RawDatabase(path)
    let kept = try RawDatabase.kept(try scene.store("sqlite", rows: rows))
    let peer = try PeerDatabase.queue(path)
    let sql = "\(RawDatabase.selection) WHERE weight < ? ORDER BY price, id LIMIT 20"
    let bounds = (1...count).map { Double($0) / 10 }
    let control = Contender.control("SQLite by hand") { watch in
      let items = try watch.time {
        let statement = try raw.statement(sql)
        return bounds.flatMap { bound in
          statement.bind(bound, at: 1)
          return statement.items()
        }
      }
      return Digest.of(items)
    }
    let engine = Contender.engine { watch in
      let context = ModelContext(container)
      let items = try watch.time {
        try bounds.flatMap { try context.fetch(scannedPage(below: $0)) }
      }
      return Digest.of(items)
    }
    let promises = Contender.limit { watch in
      let context = KeptContext()
      let statement = try kept.statement(
        "\(KeptItemStore.selection) WHERE weight < ? ORDER BY price, _key LIMIT ?"
      )
      let items = try watch.time {
        try bounds.flatMap { bound in
          use(scannedPage(below: bound))
          statement.bind(bound, at: 1)
          statement.bind(20, at: 2)
          return try statement.keptItems(in: context)
        }
      }
      return Digest.of(items)
    }
    let cached = Contender.peer("GRDB, cached statement") { watch in
      let items = try watch.time {
        try bounds.flatMap { bound in
          try peer.read { try PeerDatabase.items($0, sql, arguments: [bound]) }
        }
      }
      return Digest.of(items)
    }
    let records = Record.first(rows)
    let expected = bounds.flatMap { bound in
      records.filter { $0.weight < bound }
        .sorted { ($0.price, $0.id) < ($1.price, $1.id) }.prefix(20)
    }
    return Workload(
      title: "filter, sort, limit 20, without an index",
      unit: "query",
      count: count,
      targets: [Target(ratio: 1.05)],
      expected: Digest.of(expected),
      contenders: [control, engine, promises, cached]
    )
  }

  private static func scannedPage(below bound: Double) -> FetchDescriptor<Item> {
    var page = FetchDescriptor<Item>(
      predicate: #Predicate { $0.weight < bound },
      sortBy: [SortDescriptor(\.price)]
    )
    page.fetchLimit = 20
    return page
  }

  /// Counts rows, by an index or by looking at all.
  static func count(_ scene: Scene, indexed: Bool) throws -> Workload {
    let rows = scene.rows(100_000)
    let count = indexed ? 50 : 5
    let container = try scene.container("sqlite", try scene.store("sqlite", rows: rows))
    let path = try scene.database(rows: rows)
    let raw = try RawDatabase(path)
    let peer = try PeerDatabase.queue(path)
    let column = indexed ? "\"group\"" : "rank"
    let sql = "SELECT count(*) FROM item WHERE \(column) < ?"
    let bounds = (0..<count).map { (indexed ? Record.groups / 2 : 400_000) + $0 }
    let control = Contender.control("SQLite by hand") { watch in
      try watch.time {
        let statement = try raw.statement(sql)
        return bounds.reduce(into: UInt64(0)) { sum, bound in
          statement.bind(bound, at: 1)
          if statement.step() { sum += UInt64(statement.integer(0)) }
          statement.reset()
        }
      }
    }
    let engine = Contender.engine { watch in
      let context = ModelContext(container)
      return try watch.time {
        try bounds.reduce(into: UInt64(0)) { sum, bound in
          let predicate =
            indexed
            ? #Predicate<Item> { $0.group < bound } : #Predicate<Item> { $0.rank < bound }
          sum += UInt64(try context.fetchCount(FetchDescriptor(predicate: predicate)))
        }
      }
    }
    let query = Contender.peer("GRDB, query interface") { watch in
      try watch.time {
        try bounds.reduce(into: UInt64(0)) { sum, bound in
          let request = PeerRecord.filter(Column(indexed ? "group" : "rank") < bound)
          sum += UInt64(try peer.read { try request.fetchCount($0) })
        }
      }
    }
    let records = Record.first(rows)
    let expected = bounds.reduce(into: UInt64(0)) { sum, bound in
      for record in records where (indexed ? record.group : record.rank) < bound { sum += 1 }
    }
    return Workload(
      title: indexed ? "count by an index" : "count without an index",
      unit: "query",
      count: count,
      targets: [Target(ratio: 1.1)],
      expected: expected,
      contenders: [control, engine, query]
    )
  }

  /// Whether there is a row that satisfies a condition, asked of an index.
  static func existence(_ scene: Scene) throws -> Workload {
    let rows = scene.rows(100_000)
    let count = scene.rows(2_000)
    let container = try scene.container("sqlite", try scene.store("sqlite", rows: rows))
    let path = try scene.database(rows: rows)
    let raw = try RawDatabase(path)
    let kept = try RawDatabase.kept(try scene.store("sqlite", rows: rows))
    let peer = try PeerDatabase.queue(path)
    let sql = "SELECT EXISTS (SELECT 1 FROM item WHERE \"group\" = ? AND rank > ?)"
    // Half of them ask for a group that there is, half for one that there is not.
    let groups = (0..<count).map { $0.isMultiple(of: 2) ? $0 % Record.groups : Record.groups + $0 }
    let control = Contender.control("SQLite by hand") { watch in
      try watch.time {
        let statement = try raw.statement(sql)
        return groups.reduce(into: UInt64(0)) { sum, group in
          statement.bind(group, at: 1)
          statement.bind(0, at: 2)
          if statement.step() { sum += UInt64(statement.integer(0)) }
          statement.reset()
        }
      }
    }
    let engine = Contender.engine { watch in
      let context = ModelContext(container)
      return try watch.time {
        try groups.reduce(into: UInt64(0)) { sum, group in
          sum += UInt64(try context.fetchCount(anyItem(of: group)))
        }
      }
    }
    let promises = Contender.limit { watch in
      try watch.time {
        let statement = try kept.statement(
          "SELECT EXISTS (SELECT 1 FROM \"Item\" WHERE \"group\" = ? AND rank > ?)"
        )
        return try groups.reduce(into: UInt64(0)) { sum, group in
          use(anyItem(of: group))
          statement.bind(group, at: 1)
          statement.bind(0, at: 2)
          if try statement.checkedStep() { sum += UInt64(statement.integer(0)) }
          statement.reset()
        }
      }
    }
    let query = Contender.peer("GRDB, isEmpty") { watch in
      try watch.time {
        try groups.reduce(into: UInt64(0)) { sum, group in
          let request = PeerRecord.filter(Column("group") == group && Column("rank") > 0)
          if try !peer.read({ try request.isEmpty($0) }) { sum += 1 }
        }
      }
    }
    return Workload(
      title: "ask by an index whether there is a row",
      unit: "query",
      count: count,
      targets: [Target(ratio: 1.1)],
      expected: UInt64(groups.filter { $0 < Record.groups }.count),
      contenders: [control, engine, promises, query]
    )
  }

  private static func anyItem(of group: Int) -> FetchDescriptor<Item> {
    var any = FetchDescriptor<Item>(predicate: #Predicate { $0.group == group && $0.rank > 0 })
    any.fetchLimit = 1
    return any
  }
}
