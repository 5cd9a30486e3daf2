import Foundation
import OpenSwiftData

// The server's work takes part of the time, so the targets are of elapsed time.

extension Workload {
  private static let records = "OpenSwiftData, records"

  /// All rows of a table into objects, and into records.
  static func postgreSQLFetch(_ scene: Scene) throws -> Workload {
    let count = scene.rows(100_000)
    let server = try scene.postgreSQL()
    let space = try server.store(rows: count)
    let byHand = try server.byHand(space)
    let container = try server.container(space)
    let store = try PostgreSQLStore(try server.configuration(space))
    return Workload(
      title: "fetch 100,000 rows",
      unit: "row",
      count: count,
      targets: [
        Target(ratio: 1.3, clock: .wall), Target(ratio: 1.3, clock: .wall, contender: records),
      ],
      expected: Digest.of(Record.first(count)),
      contenders: [
        .control("libpq by hand") { watch in
          Digest.of(try watch.time { try byHand.items() })
        },
        .engine { watch in
          let context = ModelContext(container)
          return Digest.of(try watch.time { try context.fetch(FetchDescriptor<Item>()) })
        },
        .engine(records) { watch in
          Digest.of(try watch.time { try store.fetch(StoreQuery(entity: "Item")) })
        },
      ]
    )
  }

  /// All objects one after the other, in memory that does not grow with their number.
  static func postgreSQLEnumerate(_ scene: Scene, rows: Int) throws -> Workload {
    let count = scene.rows(rows)
    let server = try scene.postgreSQL()
    let space = try server.store(rows: count)
    let byHand = try server.byHand(space)
    let container = try server.container(space)
    let store = try PostgreSQLStore(try server.configuration(space))
    return Workload(
      title: "enumerate \(Units.count(rows)) rows; by hand, with a cursor",
      unit: "row",
      count: count,
      targets: [Target(ratio: 1.3, clock: .wall)],
      expected: UInt64(count * (count - 1) / 2),
      contenders: [
        .control("libpq by hand") { watch in
          var sum = 0
          try watch.time { try byHand.forEachItem { sum += $0.number } }
          return UInt64(sum)
        },
        .engine { watch in
          let context = ModelContext(container)
          var sum = 0
          try watch.time {
            try context.enumerate(FetchDescriptor<Item>()) { sum += $0.number }
          }
          return UInt64(sum)
        },
        // The whole result is in memory.
        .engine(records) { watch in
          var sum: Int64 = 0
          try watch.time {
            try store.read(StoreQuery(entity: "Item")) { row in
              for index in 0..<9 {
                if case .integer(let number) = try row.value(at: index), index == 0 {
                  sum += number
                }
              }
            }
          }
          return UInt64(sum)
        },
      ]
    )
  }

  /// Single rows by key, each in a round trip.
  static func postgreSQLKey(
    _ scene: Scene,
    _ place: PostgreSQLScene.Place = .local
  ) throws -> Workload {
    let rows = scene.rows(100_000)
    let count = scene.rows(place == .local ? 5_000 : 1_000)
    let server = try scene.postgreSQL(place)
    let space = try server.store(rows: rows)
    let byHand = try server.byHand(space)
    let container = try server.container(space)
    let keys = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Item>())
    // Steps by a number that shares no factor with the count, so that neighbours lie far apart.
    let picks = (0..<count).map { $0 * 7_919 % rows }
    return Workload(
      title: "fetch an object by its key" + place.title,
      unit: "object",
      count: count,
      targets: [Target(ratio: 1.15, clock: .wall)],
      expected: Digest.of(picks.map { Record($0) }),
      contenders: [
        .control("libpq by hand") { watch in
          Digest.of(try watch.time { try picks.compactMap { try byHand.item($0 + 1) } })
        },
        .engine { watch in
          let context = ModelContext(container)
          return Digest.of(
            watch.time { picks.compactMap { context.model(for: keys[$0]) as? Item } }
          )
        },
      ]
    )
  }

  /// Many new rows in one save.
  static func postgreSQLInsert(_ scene: Scene) throws -> Workload {
    let count = scene.rows(50_000)
    let server = try scene.postgreSQL()
    let records = Record.first(count)
    let plain = records.map { PlainItem($0) }
    func inserting(_ insert: (_ space: String) throws -> Void) throws -> UInt64 {
      let space = try server.emptyStore()
      defer { try? server.drop(space) }
      try server.settle(space)
      try insert(space)
      return Digest.of(try server.byHand(space).items())
    }
    return Workload(
      title: "insert 50,000 rows in one save",
      unit: "row",
      count: count,
      targets: [Target(ratio: 1.3, clock: .wall)],
      expected: Digest.of(records),
      contenders: [
        .control("libpq by hand, unnest and history") { watch in
          try inserting { space in
            let byHand = try server.byHand(space)
            try watch.time { try byHand.insert(plain) }
          }
        },
        .engine { watch in
          try inserting { space in
            let context = ModelContext(try server.container(space))
            let items = records.map { Item($0) }
            try watch.time {
              for item in items { context.insert(item) }
              try context.save()
            }
          }
        },
      ]
    )
  }

  /// One column of one object a save, each durable.
  static func postgreSQLSaves(
    _ scene: Scene,
    _ place: PostgreSQLScene.Place = .local
  ) throws -> Workload {
    let rows = scene.rows(20_000)
    let count = scene.rows(place == .local ? 500 : 200)
    let server = try scene.postgreSQL(place)
    /// Measures the changes of the first items of a store.
    func contender(
      _ name: String,
      _ role: Role,
      _ change: @escaping (String) throws -> (Stopwatch) throws -> Void
    ) throws -> Contender {
      let space = try server.newStore(rows: rows)
      let byHand = try server.byHand(space)
      let total = "SELECT sum(\"number\")::int8 FROM \(space).\"Item\""
      let run = try change(space)
      return Contender(name: name, role: role) { watch in
        let before = try byHand.database.number(total)
        try run(watch)
        return UInt64(try byHand.database.number(total) - before)
      }
    }
    func byHand(
      _ name: String,
      _ role: Role,
      _ save: @escaping (RawPostgreSQLStore, PlainItem) throws -> Void
    ) throws -> Contender {
      try contender(name, role) { space in
        let store = try server.byHand(space)
        return { watch in
          let items = Array(try store.items().prefix(count))
          try watch.time {
            for item in items {
              item.number += 1
              try save(store, item)
            }
          }
        }
      }
    }
    return Workload(
      title: "saves of one changed object; by hand, BEGIN, UPDATE, COMMIT in one round trip"
        + place.title,
      unit: "object",
      count: count,
      targets: [Target(ratio: 1.1, clock: .wall)],
      expected: UInt64(count),
      contenders: [
        try byHand("libpq by hand", .control) { try $0.update($1) },
        try contender(Contender.engineName, .engine) { space in
          let container = try server.container(space)
          return { watch in
            let context = ModelContext(container)
            var first = FetchDescriptor<Item>()
            first.fetchLimit = count
            let items = try context.fetch(first)
            try watch.time {
              for item in items {
                item.number += 1
                try context.save()
              }
            }
          }
        },
        try byHand(Contender.limitName, .limit) { try $0.save($1) },
      ]
    )
  }
}

extension Digest {
  /// The digest of the records of items.
  fileprivate static func of(_ records: [DefaultSnapshot]) -> UInt64 {
    var digest = Digest()
    for value in records.lazy.flatMap(\.values) {
      switch value {
      case .integer(let number): digest.add(Int(number))
      case .double(let number): digest.add(number.bitPattern)
      case .string(let text): digest.add(text)
      case .date(let date): digest.add(date.timeIntervalSinceReferenceDate.bitPattern)
      default: digest.add(0)
      }
    }
    return digest.value
  }
}
