import Foundation
import OpenSwiftData

extension Workload {
  /// A closed document opened, and one row of it found.
  static func documentKey(_ scene: Scene) throws -> Workload {
    let count = scene.rows(100_000)
    let wanted = count / 2
    let path = try scene.store("json", rows: count)
    let control = Contender.control("read, scan and parse one by hand") { watch in
      let items = try watch.time {
        let bytes = try RawFile.bytes(path)
        guard DocumentScan.rows(of: bytes) >= count else {
          throw BenchmarkError("rows are missing")
        }
        return [try DocumentParser.item(bytes, key: wanted + 1)]
      }
      return Digest.of(items)
    }
    let engine = Contender.engine { watch in
      let (context, items) = try watch.time {
        let context = ModelContext(try scene.container("json", path))
        var one = FetchDescriptor<Item>(predicate: #Predicate { $0.number == wanted })
        one.fetchLimit = 1
        return (context, try context.fetch(one))
      }
      return withExtendedLifetime(context) { Digest.of(items) }
    }
    return Workload(
      title: "open a document of 100,000 rows and fetch one of them",
      unit: "row",
      count: count,
      expected: Digest.of([Record(wanted)]),
      contenders: [control, engine]
    )
  }

  /// A document with a journal of many saves brought into one file.
  static func documentCompaction(_ scene: Scene) throws -> Workload {
    let rows = scene.rows(100_000)
    let saves = 1_000
    let stored = try scene.store("json", rows: rows)
    let plain = Record.first(rows).map { PlainItem($0) }
    for item in plain.prefix(saves) { item.number += 1 }
    let control = Contender.control("printer by hand") { watch in
      let path = scene.freshPath("compacted.json")
      defer { scene.remove(path) }
      try watch.time {
        let descriptor = try RawFile.opened(path + ".new", O_WRONLY | O_CREAT)
        defer { close(descriptor) }
        try RawFile.writeDurably(DocumentPrinter.document(plain), descriptor)
        guard rename(path + ".new", path) == 0 else { throw BenchmarkError("cannot rename") }
      }
      return Digest.of(try DocumentParser.items(try RawFile.bytes(path)))
    }
    let engine = Contender.engine { watch in
      let path = try scene.copy(stored)
      defer { scene.remove(path) }
      let container = try scene.container("json", path)
      let context = ModelContext(container)
      var first = FetchDescriptor<Item>()
      first.fetchLimit = saves
      for item in try context.fetch(first) {
        item.number += 1
        try context.save()
      }
      let configuration = JSONFileStoreConfiguration(
        schema: container.schema,
        url: URL(filePath: path)
      )
      let store = try JSONFileStore(configuration, migrationPlan: nil)
      try watch.time { try store.compact() }
      return Digest.of(try ModelContext(container).fetch(FetchDescriptor<Item>()))
    }
    return Workload(
      title: "compact a document of 100,000 rows after 1,000 saves",
      unit: "row",
      count: rows,
      expected: Digest.of(plain),
      contenders: [control, engine]
    )
  }
}
