import Foundation
import OpenSwiftData

/// The document as Foundation's coders read and write it.
private struct PeerDocument: Codable {
  var entities: [String: [Record]]
}

extension Workload {
  /// A closed document of many rows, opened and read into objects.
  static func documentLoad(_ scene: Scene) throws -> Workload {
    let count = scene.rows(100_000)
    let path = try scene.store("json", rows: count)
    let control = Contender.control("parser by hand") { watch in
      Digest.of(try watch.time { try DocumentParser.items(try RawFile.bytes(path)) })
    }
    let engine = Contender.engine { watch in
      let (context, items) = try watch.time {
        let context = ModelContext(try scene.container("json", path))
        return (context, try context.fetch(FetchDescriptor<Item>()))
      }
      return withExtendedLifetime(context) { Digest.of(items) }
    }
    let limit = Contender.limit { watch in
      let context = KeptContext()
      let found = try watch.time {
        try DocumentParser.keptItems(try RawFile.bytes(path), in: context)
      }
      return Digest.of(found.items)
    }
    let peer = Contender.peer("JSONDecoder") { watch in
      let document = try watch.time {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let data = try Data(contentsOf: URL(filePath: path))
        return try decoder.decode(PeerDocument.self, from: data)
      }
      return Digest.of(document.entities["Item"] ?? [])
    }
    return Workload(
      title: "open a document and load 100,000 rows into objects",
      unit: "row",
      count: count,
      targets: [Target(ratio: 1.8)],
      expected: Digest.of(Record.first(count)),
      contenders: [control, engine, limit, peer]
    )
  }

  /// A closed document opened, and nothing of it asked for.
  static func documentOpen(_ scene: Scene) throws -> Workload {
    let count = scene.rows(100_000)
    let path = try scene.store("json", rows: count)
    let control = Contender.control("read and scan by hand") { watch in
      let rows = try watch.time { try DocumentScan.rows(of: RawFile.bytes(path)) }
      return rows >= count ? 1 : 0
    }
    let engine = Contender.engine { watch in
      let container = try watch.time { try scene.container("json", path) }
      return try ModelContext(container).fetchCount(FetchDescriptor<Item>()) == count ? 1 : 0
    }
    return Workload(
      title: "open a document of 100,000 rows without touching one",
      unit: "row",
      count: count,
      targets: [Target(ratio: 1.5)],
      expected: 1,
      contenders: [control, engine]
    )
  }

  /// Many new rows into a new document in one save.
  static func documentWrite(_ scene: Scene) throws -> Workload {
    let count = scene.rows(100_000)
    let records = Record.first(count)
    let plain = records.map { PlainItem($0) }
    let control = Contender.control("printer by hand") { watch in
      let path = scene.freshPath("write.json")
      defer { scene.remove(path) }
      try watch.time {
        let descriptor = try RawFile.opened(path, O_WRONLY | O_CREAT)
        defer { close(descriptor) }
        try RawFile.writeDurably(DocumentPrinter.document(plain), descriptor)
      }
      return Digest.of(try DocumentParser.items(try RawFile.bytes(path)))
    }
    let engine = Contender.engine { watch in
      let path = scene.freshPath("write.json")
      defer { scene.remove(path) }
      let items = records.map { Item($0) }
      let container = try scene.container("json", path)
      let context = ModelContext(container)
      try watch.time {
        for item in items { context.insert(item) }
        try context.save()
      }
      return Digest.of(try ModelContext(container).fetch(FetchDescriptor<Item>()))
    }
    let peer = Contender.peer("JSONEncoder") { watch in
      let path = scene.freshPath("write.json")
      defer { scene.remove(path) }
      try watch.time {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let data = try encoder.encode(PeerDocument(entities: ["Item": records]))
        let descriptor = try RawFile.opened(path, O_WRONLY | O_CREAT)
        defer { close(descriptor) }
        try RawFile.writeDurably([UInt8](data), descriptor)
      }
      return Digest.of(records)
    }
    return Workload(
      title: "write 100,000 new rows in one save",
      unit: "row",
      count: count,
      targets: [Target(ratio: 1.8)],
      expected: Digest.of(records),
      contenders: [control, engine, peer]
    )
  }

  /// One column of one row among many, durable.
  static func documentSave(_ scene: Scene) throws -> Workload {
    let rows = scene.rows(100_000)
    let count = 200
    let container = try scene.container(
      "json",
      try scene.copy(try scene.store("json", rows: rows))
    )
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 120) + [10]
    let control = Contender.control("append and sync by hand") { watch in
      let path = scene.freshPath("append")
      defer { scene.remove(path) }
      let descriptor = try RawFile.opened(path, O_WRONLY | O_CREAT | O_APPEND)
      defer { close(descriptor) }
      try watch.time {
        for _ in 0..<count { try RawFile.writeDurably(line, descriptor) }
      }
      return UInt64(try RawFile.bytes(path).count / line.count)
    }
    let engine = Contender.engine { watch in
      let context = ModelContext(container)
      var first = FetchDescriptor<Item>()
      first.fetchLimit = count
      let items = try context.fetch(first)
      let before = items.reduce(0) { $0 + $1.number }
      try watch.time {
        for item in items {
          item.number += 1
          try context.save()
        }
      }
      let after = try ModelContext(container).fetch(first).reduce(0) { $0 + $1.number }
      return UInt64(after - before)
    }
    let document = try scene.copy(try scene.store("json", rows: rows))
    let limit = Contender.limit { watch in
      let context = KeptContext()
      let items = Record.first(count).map { KeptItem($0, context) }
      let journal = try KeptJournal(of: document, at: scene.freshPath("journal"))
      defer { scene.remove(journal.path) }
      try watch.time {
        for item in items {
          item.add(1)
          try journal.save(context)
        }
      }
      return UInt64(try journal.recordCount())
    }
    return Workload(
      title: "save one change among 100,000 rows, durable",
      unit: "save",
      count: count,
      targets: [Target(ratio: 1.6), Target(ratio: 1.6, clock: .wall)],
      expected: UInt64(count),
      contenders: [control, engine, limit]
    )
  }

  /// A condition over all objects of a document.
  static func documentFilter(_ scene: Scene) throws -> Workload {
    let rows = scene.rows(100_000)
    let records = Record.first(rows)
    let plain = records.map { PlainItem($0) }
    let container = try scene.container("json", try scene.store("json", rows: rows))
    let context = ModelContext(container)
    let held = try context.fetch(FetchDescriptor<Item>())
    let repeats = 10
    let control = Contender.control("closure over class instances") { watch in
      watch.time {
        (0..<repeats).reduce(into: UInt64(0)) { sum, round in
          let bound = Double(round) / 1000
          for item in plain.filter({ $0.weight < bound }) { sum += UInt64(item.number) }
        }
      }
    }
    let engine = Contender.engine { watch in
      try watch.time {
        try (0..<repeats).reduce(into: UInt64(0)) { sum, round in
          let bound = Double(round) / 1000
          let few = FetchDescriptor<Item>(predicate: #Predicate { $0.weight < bound })
          for item in try context.fetch(few) { sum += UInt64(item.number) }
        }
      }
    }
    let expected = try control.run(Stopwatch())
    return Workload(
      title: "filter 100,000 rows of a document",
      unit: "row",
      count: rows * repeats,
      targets: [Target(ratio: 1.8)],
      expected: withExtendedLifetime(held) { expected },
      contenders: [control, engine]
    )
  }

  /// All objects of a document in the order of their dates.
  static func documentSort(_ scene: Scene) throws -> Workload {
    let rows = scene.rows(100_000)
    let records = Record.first(rows)
    let container = try scene.container("json", try scene.store("json", rows: rows))
    let context = ModelContext(container)
    let held = try context.fetch(FetchDescriptor<Item>())
    let control = Contender.control("sort of structures") { watch in
      Digest.of(
        watch.time { records.sorted { ($0.created, $0.id) < ($1.created, $1.id) } }
      )
    }
    let engine = Contender.engine { watch in
      let sorted = FetchDescriptor<Item>(sortBy: [SortDescriptor(\.created)])
      let items = try watch.time { try context.fetch(sorted) }
      return withExtendedLifetime(held) { Digest.of(items) }
    }
    let keeping = KeptContext()
    let kept = records.map { KeptItem($0, keeping) }
    for item in kept { keeping.items.add(item, item.key) }
    let dates = records.map(\.created)
    let limit = Contender.limit { watch in
      let items = watch.time {
        // The dates as a store has them, then the objects of the rows in their order.
        dates.enumerated().map { (date: $1, key: $0 + 1) }
          .sorted { ($0.date, $0.key) < ($1.date, $1.key) }
          .compactMap { keeping.items[$0.key] }
      }
      return withExtendedLifetime(kept) { Digest.of(items) }
    }
    return Workload(
      title: "sort 100,000 rows of a document by a date",
      unit: "row",
      count: rows,
      targets: [Target(ratio: 1.5)],
      expected: Digest.of(records.sorted { ($0.created, $0.id) < ($1.created, $1.id) }),
      contenders: [control, engine, limit]
    )
  }
}
