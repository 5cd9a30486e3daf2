import Foundation
import OpenSwiftData

// Each contender has the same lines over its own type: a generic function would measure witnesses.

extension Workload {
  private static let objects = 1_000

  private static func repeats(_ scene: Scene) -> Int { scene.rows(2_000) }

  /// Reads of three properties of objects that a context keeps.
  static func propertyRead(_ scene: Scene) throws -> Workload {
    let repeats = repeats(scene)
    let records = Record.first(objects)
    let plain = records.map { PlainItem($0) }
    let observable = records.map { ObservableItem($0) }
    let tracked = try TrackedItems(records)
    let once = records.reduce(0) {
      $0 &+ $1.number &+ Int($1.weight * 10_000) &+ $1.name.utf8.count
    }
    let control = Contender.control("plain class") { watch in
      watch.time {
        var sum = 0
        for _ in 0..<repeats {
          for item in plain {
            sum &+= item.number &+ Int(item.weight * 10_000) &+ item.name.utf8.count
          }
        }
        return UInt64(sum)
      }
    }
    let engine = Contender.engine { watch in
      watch.time {
        var sum = 0
        for _ in 0..<repeats {
          for item in tracked.items {
            sum &+= item.number &+ Int(item.weight * 10_000) &+ item.name.utf8.count
          }
        }
        return UInt64(sum)
      }
    }
    let asking = records.map { AskingItem($0) }
    let limit = Contender.limit { watch in
      watch.time {
        var sum = 0
        for _ in 0..<repeats {
          for item in asking {
            sum &+= item.number &+ Int(item.weight * 10_000) &+ item.name.utf8.count
          }
        }
        return UInt64(sum)
      }
    }
    let peer = Contender.peer("@Observable class") { watch in
      watch.time {
        var sum = 0
        for _ in 0..<repeats {
          for item in observable {
            sum &+= item.number &+ Int(item.weight * 10_000) &+ item.name.utf8.count
          }
        }
        return UInt64(sum)
      }
    }
    return Workload(
      title: "read a property",
      unit: "read",
      count: repeats * objects * 3,
      targets: [Target(ratio: 2)],
      expected: UInt64(once * repeats),
      contenders: [control, engine, limit, peer]
    )
  }

  /// Writes of three properties of objects that a context keeps.
  static func propertyWrite(_ scene: Scene) throws -> Workload {
    let repeats = repeats(scene)
    let records = Record.first(objects)
    let plain = records.map { PlainItem($0) }
    let observable = records.map { ObservableItem($0) }
    let tracked = try TrackedItems(records)
    let names = ["one name", "another name"]
    let control = Contender.control("plain class") { watch in
      watch.time {
        for round in 0..<repeats {
          for item in plain {
            item.number = round
            item.weight = Double(round)
            item.name = names[round & 1]
          }
        }
      }
      return UInt64(plain.reduce(0) { $0 + $1.number + Int($1.weight) })
    }
    let engine = Contender.engine { watch in
      watch.time {
        for round in 0..<repeats {
          for item in tracked.items {
            item.number = round
            item.weight = Double(round)
            item.name = names[round & 1]
          }
        }
      }
      return UInt64(tracked.items.reduce(0) { $0 + $1.number + Int($1.weight) })
    }
    let peer = Contender.peer("@Observable class") { watch in
      watch.time {
        for round in 0..<repeats {
          for item in observable {
            item.number = round
            item.weight = Double(round)
            item.name = names[round & 1]
          }
        }
      }
      return UInt64(observable.reduce(0) { $0 + $1.number + Int($1.weight) })
    }
    return Workload(
      title: "write a property",
      unit: "write",
      count: repeats * objects * 3,
      targets: [Target(ratio: 2.5)],
      expected: UInt64(objects * 2 * (repeats - 1)),
      contenders: [control, engine, peer]
    )
  }

  /// New objects of ten properties, not inserted anywhere.
  static func create(_ scene: Scene) throws -> Workload {
    let count = scene.rows(100_000)
    let records = Record.first(count)
    let control = Contender.control("plain class") { watch in
      Digest.of(watch.time { records.map { PlainItem($0) } })
    }
    let engine = Contender.engine { watch in
      Digest.of(watch.time { records.map { Item($0) } })
    }
    let peer = Contender.peer("@Observable class") { watch in
      let items = watch.time { records.map { ObservableItem($0) } }
      return Digest.of(items.map { Record(Int($0.number)) })
    }
    return Workload(
      title: "create an object",
      unit: "object",
      count: count,
      targets: [Target(ratio: 2)],
      expected: Digest.of(records),
      contenders: [control, engine, peer]
    )
  }

  /// Letting go of objects that nobody else holds.
  static func release(_ scene: Scene) throws -> Workload {
    let count = scene.rows(100_000)
    let records = Record.first(count)
    let control = Contender.control("plain class") { watch in
      var items = records.map { PlainItem($0) }
      watch.time { items = [] }
      return UInt64(items.count)
    }
    let engine = Contender.engine { watch in
      var items = records.map { Item($0) }
      watch.time { items = [] }
      return UInt64(items.count)
    }
    let peer = Contender.peer("@Observable class") { watch in
      var items = records.map { ObservableItem($0) }
      watch.time { items = [] }
      return UInt64(items.count)
    }
    return Workload(
      title: "release an object",
      unit: "object",
      count: count,
      targets: [Target(ratio: 1.5)],
      expected: 0,
      contenders: [control, engine, peer]
    )
  }
}

/// Objects that a context keeps, with the context.
private struct TrackedItems {
  let context: ModelContext
  let items: [Item]

  init(_ records: [Record]) throws {
    context = ModelContext(try ModelContainer(for: Item.self, store: "memory:"))
    for record in records { context.insert(Item(record)) }
    try context.save()
    items = try context.fetch(FetchDescriptor<Item>())
  }
}
