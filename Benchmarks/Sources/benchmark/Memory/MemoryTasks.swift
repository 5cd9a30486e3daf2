import Foundation
import OpenSwiftData

/// What objects take of the heap, and what going through many of them takes at the most.
struct MemoryTasks {
  let scene: Scene

  /// All results, none where the system does not tell.
  func measured() throws -> [MemoryResult] {
    try objects() + enumeration()
  }

  /// The bytes that are held in the end by what a closure makes.
  private func held(_ make: () throws -> AnyObject) throws -> Int? {
    guard let before = ResidentMemory.held() else { return nil }
    let made = try make()
    return withExtendedLifetime(made) { ResidentMemory.held().map { $0 - before } }
  }

  /// Objects in a context beside instances of a plain class with the same values.
  private func objects() throws -> [MemoryResult] {
    let count = scene.rows(100_000)
    let raw = try RawDatabase(try scene.database(rows: count))
    // A first fetch takes what is taken once, such as pages of SQLite.
    let container = try scene.container("sqlite", try scene.store("sqlite", rows: count))
    _ = try ModelContext(container).fetch(FetchDescriptor<Item>())
    _ = try raw.statement(RawDatabase.selection).items()
    guard
      let plain = try held({ Held(try raw.statement(RawDatabase.selection).items()) }),
      let fetched = try held({
        let context = ModelContext(container)
        return Held((context, try context.fetch(FetchDescriptor<Item>())))
      })
    else { return [] }
    let ratio = Double(fetched) / Double(plain)
    let each = Double(fetched) / Double(count)
    return [
      MemoryResult(
        name: "memory-plain",
        title: "100,000 instances of a plain class",
        bytes: plain,
        objects: count,
        ratio: nil,
        targets: []
      ),
      MemoryResult(
        name: "memory-fetch",
        title: "100,000 fetched objects, with their context",
        bytes: fetched,
        objects: count,
        ratio: ratio,
        targets: [
          MemoryResult.Target(title: "≤ \(Units.ratio(2)) plain", isMet: ratio <= 2),
          MemoryResult.Target(title: "≤ 400 bytes each", isMet: each <= 400),
        ]
      ),
    ]
  }

  /// The peak of going through many rows, beside that of going through a tenth of them.
  private func enumeration() throws -> [MemoryResult] {
    let growing = GrowthScene(scene)
    let large = scene.rows(1_000_000)
    let small = large / 10
    // Once for what is taken once.
    _ = try enumerationPeak(growing, small)
    guard let few = try enumerationPeak(growing, small),
      let many = try enumerationPeak(growing, large)
    else { return [] }
    let ratio = Double(many) / Double(few)
    return [
      MemoryResult(
        name: "memory-enumerate-small",
        title: "peak of enumerate over 100,000 rows",
        bytes: few,
        objects: nil,
        ratio: nil,
        targets: []
      ),
      MemoryResult(
        name: "memory-enumerate",
        title: "peak of enumerate over 1,000,000 rows",
        bytes: many,
        objects: nil,
        ratio: ratio,
        targets: [
          MemoryResult.Target(title: "≤ \(Units.ratio(1.3)) of a tenth", isMet: ratio <= 1.3)
        ]
      ),
    ]
  }

  private func enumerationPeak(_ growing: GrowthScene, _ rows: Int) throws -> Int? {
    let context = ModelContext(try growing.open("sqlite", try growing.path("sqlite", rows)))
    guard let start = ResidentMemory.startingPeak() else { return nil }
    var sum = 0
    try context.enumerate(FetchDescriptor<Reading>()) { sum += $0.number }
    guard sum == rows * (rows - 1) / 2 else {
      throw BenchmarkError("memory-enumerate: the sum of all rows is wrong")
    }
    return ResidentMemory.peak().map { max($0 - start, 1) }
  }
}

/// Something kept alive by a reference.
private final class Held<Content> {
  let content: Content

  init(_ content: Content) {
    self.content = content
  }
}
