import Foundation
import OpenSwiftData

extension GrowthTask {
  static var all: [GrowthTask] {
    let tasks = [save, key, count, page, deepOffset, fetchAll]
    return ["sqlite", "json"].flatMap { scheme in tasks.map { $0(scheme) } } + [open("json")]
  }

  /// Steps through a store by a number that shares no factor with its size, so that neighbours lie
  /// far apart.
  private static func picks(_ count: Int, of rows: Int) -> [Int] {
    (0..<count).map { $0 * 7_919 % rows }
  }

  /// The control by hand where there is one: a database, nothing for a document.
  static func workload(
    _ scheme: String,
    count: Int,
    expected: UInt64,
    _ control: @escaping (Stopwatch) throws -> UInt64,
    _ engine: @escaping (Stopwatch) throws -> UInt64
  ) -> Workload {
    var contenders: [Workload.Contender] = [.engine { try engine($0) }]
    if scheme == "sqlite" { contenders.insert(.control("SQLite by hand", control), at: 0) }
    return Workload(title: "", unit: "", count: count, expected: expected, contenders: contenders)
  }

  /// One column of one object, durable.
  private static func save(_ scheme: String) -> GrowthTask {
    GrowthTask(
      name: "\(scheme)-save",
      title: "save one change",
      unit: "save",
      expectation: .flat
    ) { scene, rows in
      let picks = picks(200, of: rows)
      let container = try scene.container(scheme, rows)
      let keys = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Reading>())
      return workload(scheme, count: picks.count, expected: UInt64(picks.count)) { watch in
        let raw = try scene.database(rows)
        let sql = "UPDATE reading SET value = value + 1 WHERE id = ?"
        let update = try raw.statement(sql)
        try watch.time {
          for pick in picks {
            update.bind(pick + 1, at: 1)
            try raw.transaction { guard update.run() else { throw raw.failure(sql) } }
          }
        }
        return UInt64(picks.count)
      } _: { watch in
        let context = ModelContext(container)
        let readings = picks.compactMap { context.model(for: keys[$0]) as? Reading }
        try watch.time {
          for reading in readings {
            reading.value += 1
            try context.save()
          }
        }
        return UInt64(readings.count)
      }
    }
  }

  /// Objects that the context does not know, by their keys.
  private static func key(_ scheme: String) -> GrowthTask {
    GrowthTask(
      name: "\(scheme)-key",
      title: "fetch by key",
      unit: "object",
      expectation: .flat
    ) { scene, rows in
      let picks = picks(1_000, of: rows)
      let container = try scene.container(scheme, rows)
      let keys = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Reading>())
      let expected = UInt64(picks.reduce(0, +))
      return workload(scheme, count: picks.count, expected: expected) { watch in
        let statement = try scene.database(rows).statement(
          "SELECT \(RawDatabase.readingColumns) FROM reading WHERE id = ?"
        )
        let readings = watch.time {
          picks.flatMap { pick in
            statement.bind(pick + 1, at: 1)
            return statement.readings()
          }
        }
        return UInt64(readings.reduce(0) { $0 + $1.number })
      } _: { watch in
        let context = ModelContext(container)
        let readings = watch.time {
          picks.compactMap { context.model(for: keys[$0]) as? Reading }
        }
        return UInt64(readings.reduce(0) { $0 + $1.number })
      }
    }
  }

  /// The rows of one group, of which there are as many in each store.
  private static func count(_ scheme: String) -> GrowthTask {
    GrowthTask(
      name: "\(scheme)-count",
      title: "count by an index",
      unit: "query",
      expectation: .flat
    ) { scene, rows in
      let groups = picks(200, of: rows / Reading.groupSize)
      let container = try scene.container(scheme, rows)
      let expected = UInt64(groups.count * Reading.groupSize)
      return workload(scheme, count: groups.count, expected: expected) { watch in
        let statement = try scene.database(rows).statement(
          "SELECT count(*) FROM reading WHERE \"group\" = ?"
        )
        return watch.time {
          groups.reduce(into: 0) { sum, group in
            statement.bind(group, at: 1)
            if statement.step() { sum += UInt64(statement.integer(0)) }
            statement.reset()
          }
        }
      } _: { watch in
        let context = ModelContext(container)
        return try watch.time {
          try groups.reduce(into: 0) { sum, group in
            let few = FetchDescriptor<Reading>(predicate: #Predicate { $0.group == group })
            sum += UInt64(try context.fetchCount(few))
          }
        }
      }
    }
  }

  /// Opens a closed store, without asking for a row.
  private static func open(_ scheme: String) -> GrowthTask {
    GrowthTask(
      name: "\(scheme)-open",
      title: "open",
      unit: "opening",
      expectation: .linear
    ) { scene, rows in
      let path = try scene.path(scheme, rows)
      return workload(scheme, count: 1, expected: UInt64(rows)) { _ in
        UInt64(rows)
      } _: { watch in
        let container = try watch.time { try scene.open(scheme, path) }
        return UInt64(try ModelContext(container).fetchCount(FetchDescriptor<Reading>()))
      }
    }
  }
}
