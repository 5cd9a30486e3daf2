import Foundation
import OpenSwiftData

extension Workload {
  /// Many loaded objects deleted in one save, or the same rows by a condition.
  static func delete(_ scene: Scene, byCondition: Bool) throws -> Workload {
    let rows = scene.rows(20_000)
    let count = rows / 2
    let stored = try scene.store("sqlite", rows: rows)
    let filled = try scene.database(rows: rows)
    let control = Contender.control("SQLite by hand") { watch in
      let path = try scene.copy(filled)
      defer { scene.remove(path) }
      let raw = try RawDatabase(path)
      let byKey = try raw.statement("DELETE FROM item WHERE id = ?")
      try watch.time {
        if byCondition {
          try raw.execute("DELETE FROM item WHERE number < \(count)")
        } else {
          try raw.transaction {
            for key in 1...count {
              byKey.bind(key, at: 1)
              guard byKey.run() else { throw raw.failure("DELETE") }
            }
          }
        }
      }
      return Digest.of(try raw.statement("\(RawDatabase.selection) ORDER BY id").items())
    }
    let engine = Contender.engine { watch in
      let path = try scene.copy(stored)
      defer { scene.remove(path) }
      let container = try scene.container("sqlite", path)
      let context = ModelContext(container)
      let first = #Predicate<Item> { $0.number < count }
      let items = byCondition ? [] : try context.fetch(FetchDescriptor(predicate: first))
      try watch.time {
        if byCondition {
          try context.delete(model: Item.self, where: first)
        } else {
          for item in items { context.delete(item) }
        }
        try context.save()
      }
      return Digest.of(try ModelContext(container).fetch(FetchDescriptor<Item>()))
    }
    let limit = Contender.limit { watch in
      let path = try scene.copy(stored)
      defer { scene.remove(path) }
      let kept = try KeptItemStore(path)
      let context = KeptContext()
      let all = "\(KeptItemStore.selection) ORDER BY _key"
      let items =
        byCondition
        ? [] : try kept.store.database.statement("\(all) LIMIT \(count)").keptItems(in: context)
      try watch.time {
        if byCondition {
          try kept.deleteItems(numbersBelow: count)
        } else {
          for item in items { item.delete() }
          try kept.save(context)
        }
      }
      return Digest.of(try kept.store.database.statement(all).keptItems(in: KeptContext()))
    }
    return Workload(
      title: byCondition ? "delete 10,000 rows by a condition" : "delete 10,000 loaded objects",
      unit: "row",
      count: count,
      targets: [Target(ratio: byCondition ? 1.05 : 1.2)],
      expected: Digest.of(Record.first(rows).dropFirst(count)),
      contenders: [control, engine, limit]
    )
  }

  /// One column of all rows that satisfy a condition.
  static func updateByCondition(_ scene: Scene) throws -> Workload {
    let rows = scene.rows(20_000)
    let count = rows / 2
    let stored = try scene.store("sqlite", rows: rows)
    let filled = try scene.database(rows: rows)
    let control = Contender.control("SQLite by hand") { watch in
      let path = try scene.copy(filled)
      defer { scene.remove(path) }
      let raw = try RawDatabase(path)
      try watch.time {
        try raw.execute("UPDATE item SET price = price + 1 WHERE number < \(count)")
      }
      return Digest.of(try raw.statement("\(RawDatabase.selection) ORDER BY id").items())
    }
    let engine = Contender.engine { watch in
      let path = try scene.copy(stored)
      defer { scene.remove(path) }
      let container = try scene.container("sqlite", path)
      let context = ModelContext(container)
      try watch.time {
        try context.update(
          model: Item.self,
          where: #Predicate { $0.number < count },
          set: .set(\.price, to: #Expression { $0.price + 1 })
        )
        try context.save()
      }
      return Digest.of(try ModelContext(container).fetch(FetchDescriptor<Item>()))
    }
    let limit = Contender.limit { watch in
      let path = try scene.copy(stored)
      defer { scene.remove(path) }
      let kept = try KeptItemStore(path)
      try watch.time {
        guard try kept.raisePrices(numbersBelow: count) == count else {
          throw BenchmarkError("another number of prices was raised")
        }
      }
      let all = "\(KeptItemStore.selection) ORDER BY _key"
      return Digest.of(try kept.store.database.statement(all).keptItems(in: KeptContext()))
    }
    let expected = Record.first(rows).map { record in
      var changed = record
      if record.number < count { changed.price += 1 }
      return changed
    }
    return Workload(
      title: "update 10,000 rows by a condition",
      unit: "row",
      count: count,
      targets: [Target(ratio: 1.5)],
      expected: Digest.of(expected),
      contenders: [control, engine, limit]
    )
  }
}
