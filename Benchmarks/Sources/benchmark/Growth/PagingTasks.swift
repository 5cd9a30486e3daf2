import Foundation
import OpenSwiftData

extension GrowthTask {
  private static let pageSize = 20

  /// The last pages of all rows in their order, each found by the last row of the page before.
  static func page(_ scheme: String) -> GrowthTask {
    GrowthTask(
      name: "\(scheme)-page",
      title: "last page, by a row",
      unit: "page",
      expectation: .flat
    ) { scene, rows in
      let starts = (1...100).map { rows - pageSize - 1 - $0 }
      let container = try scene.container(scheme, rows)
      let expected = sum(starts.map { $0 + 1 })
      return workload(scheme, count: starts.count, expected: expected) { watch in
        let statement = try scene.database(rows).statement(
          """
          SELECT \(RawDatabase.readingColumns) FROM reading WHERE number > ?
          ORDER BY number, id LIMIT \(pageSize)
          """
        )
        let readings = watch.time {
          starts.flatMap { start in
            statement.bind(start, at: 1)
            return statement.readings()
          }
        }
        return UInt64(readings.reduce(0) { $0 + $1.number })
      } _: { watch in
        let context = ModelContext(container)
        let readings = try watch.time {
          try starts.flatMap { start in
            var page = FetchDescriptor<Reading>(
              predicate: #Predicate { $0.number > start },
              sortBy: [SortDescriptor(\.number)]
            )
            page.fetchLimit = pageSize
            return try context.fetch(page)
          }
        }
        return UInt64(readings.reduce(0) { $0 + $1.number })
      }
    }
  }

  /// The last page of all rows in their order, found by counting the rows before it.
  static func deepOffset(_ scheme: String) -> GrowthTask {
    GrowthTask(
      name: "\(scheme)-offset",
      title: "last page, by offset",
      unit: "page",
      expectation: .linear
    ) { scene, rows in
      let repeats = 5
      let container = try scene.container(scheme, rows)
      let expected = sum([Int](repeating: rows - pageSize, count: repeats))
      return workload(scheme, count: repeats, expected: expected) { watch in
        let statement = try scene.database(rows).statement(
          """
          SELECT \(RawDatabase.readingColumns) FROM reading
          ORDER BY number, id LIMIT \(pageSize) OFFSET ?
          """
        )
        let readings = watch.time {
          (0..<repeats).flatMap { _ in
            statement.bind(rows - pageSize, at: 1)
            return statement.readings()
          }
        }
        return UInt64(readings.reduce(0) { $0 + $1.number })
      } _: { watch in
        let context = ModelContext(container)
        let readings = try watch.time {
          try (0..<repeats).flatMap { _ in
            var page = FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.number)])
            page.fetchLimit = pageSize
            page.fetchOffset = rows - pageSize
            return try context.fetch(page)
          }
        }
        return UInt64(readings.reduce(0) { $0 + $1.number })
      }
    }
  }

  /// All rows into objects.
  static func fetchAll(_ scheme: String) -> GrowthTask {
    GrowthTask(
      name: "\(scheme)-fetch",
      title: "fetch all",
      unit: "fetch",
      expectation: .linear
    ) { scene, rows in
      let container = try scene.container(scheme, rows)
      return workload(scheme, count: 1, expected: UInt64(rows * (rows - 1) / 2)) { watch in
        let statement = try scene.database(rows).statement(
          "SELECT \(RawDatabase.readingColumns) FROM reading ORDER BY id"
        )
        let readings = watch.time { statement.readings() }
        return UInt64(readings.reduce(0) { $0 + $1.number })
      } _: { watch in
        let context = ModelContext(container)
        let readings = try watch.time { try context.fetch(FetchDescriptor<Reading>()) }
        return UInt64(readings.reduce(0) { $0 + $1.number })
      }
    }
  }

  /// The sum of the numbers of pages that begin with some.
  private static func sum(_ firsts: [Int]) -> UInt64 {
    UInt64(firsts.reduce(0) { $0 + ($1..<$1 + pageSize).reduce(0, +) })
  }
}
