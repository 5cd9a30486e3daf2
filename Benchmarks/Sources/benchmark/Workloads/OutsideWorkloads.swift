import ColumnStore
import Foundation
import OpenSwiftData

// A store of another package beside those of this one: what the contract costs those who keep it.

extension Workload {
  private static let outside = "ColumnStore, of another package"

  /// All rows of a store into objects.
  static func fetchOutside(_ scene: Scene) throws -> Workload {
    let count = scene.rows(100_000)
    func contender(_ name: String, _ role: Role, _ container: ModelContainer) throws -> Contender {
      let filling = ModelContext(container)
      for record in Record.first(count) { filling.insert(Item(record)) }
      try filling.save()
      return Contender(name: name, role: role) { watch in
        let context = ModelContext(container)
        return Digest.of(try watch.time { try context.fetch(FetchDescriptor<Item>()) })
      }
    }
    return Workload(
      title: "fetch 100,000 rows of stores in memory into objects",
      unit: "row",
      count: count,
      targets: [Target(ratio: 1.3, contender: outside)],
      expected: Digest.of(Record.first(count)),
      contenders: [
        try contender("MemoryStore", .control, memory()),
        try contender(outside, .engine, columns()),
        try contender("JSONFileStore", .peer, document(scene)),
      ]
    )
  }

  /// New objects into empty stores, in one save.
  static func insertOutside(_ scene: Scene) throws -> Workload {
    let count = scene.rows(50_000)
    func contender(
      _ name: String,
      _ role: Role,
      _ makeContainer: @escaping () throws -> ModelContainer
    ) -> Contender {
      Contender(name: name, role: role) { watch in
        let container = try makeContainer()
        let context = ModelContext(container)
        let records = Record.first(count)
        try watch.time {
          for record in records { context.insert(Item(record)) }
          try context.save()
        }
        return Digest.of(try ModelContext(container).fetch(FetchDescriptor<Item>()))
      }
    }
    return Workload(
      title: "insert 50,000 objects into stores in memory",
      unit: "object",
      count: count,
      targets: [Target(ratio: 1.3, contender: outside)],
      expected: Digest.of(Record.first(count)),
      contenders: [
        contender("MemoryStore", .control, memory),
        contender(outside, .engine, columns),
        contender("JSONFileStore", .peer) { try document(scene) },
      ]
    )
  }

  private static func memory() throws -> ModelContainer {
    try ModelContainer(for: Item.self, store: "memory:")
  }

  private static func columns() throws -> ModelContainer {
    try ModelContainer(for: Item.self, configurations: ColumnConfiguration())
  }

  private static func document(_ scene: Scene) throws -> ModelContainer {
    try scene.container("json", scene.freshPath("outside.json"))
  }
}
