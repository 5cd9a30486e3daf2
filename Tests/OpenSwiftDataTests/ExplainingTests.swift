import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("An explanation of a fetch")
struct ExplainingTests {
  private func context(_ store: EveryStore, in folder: TemporaryFolder) throws -> ModelContext {
    let context = ModelContext(try ModelContainer(vehicles: store.url(in: folder)))
    let garage = Garage("Bern")
    garage.vehicles = [Vehicle("a"), Vehicle("b")]
    context.insert(garage)
    try context.save()
    return context
  }

  @Test(arguments: EveryStore.allCases)
  func `names the store, the filter and the order`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try context(store, in: folder)
    let descriptor = FetchDescriptor<Vehicle>(
      predicate: #Predicate { $0.name == "a" },
      sortBy: [SortDescriptor(\.price)]
    )
    let explanation = try context.explain(descriptor)
    #expect(explanation.source == .store)
    #expect(explanation.isNative)
    #expect(explanation.store.nativeFilter == explanation.query.filter)
    #expect(explanation.query.sort == [QuerySort(.property(.element(0), "price"))])
    let lines = explanation.description.split(separator: "\n")
    #expect(lines.contains("store: \(store.typeName)"))
    #expect(lines.contains { $0.hasPrefix("filter in the store: ") && $0.contains("name") })
    #expect(lines.contains("order: by the store"))
  }

  @Test(arguments: EveryStore.allCases)
  func `reports if unsaved changes require objects in memory`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try context(store, in: folder)
    let own = FetchDescriptor<Vehicle>(predicate: #Predicate { $0.price > 1 })
    let related = FetchDescriptor<Vehicle>(predicate: #Predicate { $0.garage?.city == "Bern" })
    let garage = try #require(try context.fetch(FetchDescriptor<Garage>()).first)
    garage.city = "Rome"
    #expect(try context.explain(own).source == .store)
    #expect(try context.explain(related).source == .allObjects)
    garage.vehicles[0].price = 2
    #expect(try context.explain(own).source == .storeAndUnsavedObjects)
    var stored = related
    stored.includePendingChanges = false
    #expect(try context.explain(stored).source == .store)
  }

  @Test(arguments: EveryStore.allCases)
  func `a fetch that must be native throws with unsaved objects`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try context(store, in: folder)
    var descriptor = FetchDescriptor<Vehicle>(predicate: #Predicate { $0.price >= 0 })
    descriptor.requiresNative = true
    #expect(try context.fetchCount(descriptor) == 2)
    context.insert(Vehicle("c"))
    #expect(throws: DataStoreError.unsupportedFeature) { try context.fetch(descriptor) }
    #expect(try !context.explain(descriptor).isNative)
    try context.save()
    #expect(try context.fetchCount(descriptor) == 3)
    #expect(try context.explain(descriptor).isNative)
  }
}

/// Two models that differ by an index.
@Model
private final class Scanned {
  var label: String
  var number: Int

  init(label: String, number: Int) {
    self.label = label
    self.number = number
  }
}

@Model
private final class Indexed {
  #Index<Indexed>([\.label, \.number])
  var label: String
  var number: Int
  var scanned: Scanned?
  var parent: Indexed?

  init(label: String, number: Int) {
    self.label = label
    self.number = number
  }
}

@Suite("An explanation of a scan")
struct ScanExplainingTests {
  private func context(_ store: EveryStore, in folder: TemporaryFolder) throws -> ModelContext {
    let context = ModelContext(
      try ModelContainer(for: Scanned.self, Indexed.self, store: store.url(in: folder))
    )
    for number in 0..<5 {
      context.insert(Scanned(label: "a", number: number))
      context.insert(Indexed(label: "a", number: number))
    }
    try context.save()
    return context
  }

  @Test(arguments: EveryStore.withServer)
  func `names the missing index`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try context(store, in: folder)
    func missing(_ predicate: Predicate<Scanned>) throws -> [String] {
      try context.explain(FetchDescriptor(predicate: predicate)).store.missingIndex
    }
    // The store in memory has no indexes.
    let hasIndexes = store != .memory
    #expect(try missing(#Predicate { $0.label == "b" }) == (hasIndexes ? ["label"] : []))
    #expect(try missing(#Predicate { $0.number > 2 }) == (hasIndexes ? ["number"] : []))
    #expect(try missing(#Predicate { $0.label != "b" || $0.number == 2 }).isEmpty)
    #expect(try missing(#Predicate { _ in true }).isEmpty)
    let scan = try context.explain(
      FetchDescriptor<Scanned>(
        predicate: #Predicate { $0.number > 2 && $0.label == "b" && $0.number < 4 }
      )
    )
    let line = "missing index: #Index<Scanned>([\\.label, \\.number])"
    #expect(scan.description.contains(line) == hasIndexes, "\(scan)")
    let indexed = try context.explain(
      FetchDescriptor<Indexed>(
        predicate: #Predicate { $0.number > 2 && $0.label == "b" && $0.number < 4 }
      )
    )
    #expect(indexed.store.missingIndex.isEmpty, "\(indexed)")
    // The server decides by the number of rows.
    if hasIndexes, store != .postgreSQL { #expect(!indexed.store.indexes.isEmpty, "\(indexed)") }
  }

  @Test(arguments: EveryStore.withServer)
  func `names the missing index of a related entity`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try context(store, in: folder)
    func explained(_ predicate: Predicate<Indexed>) throws -> FetchExplanation {
      try context.explain(FetchDescriptor(predicate: predicate))
    }
    let conditions = [
      #Predicate<Indexed> { $0.scanned?.label == "a" },
      #Predicate<Indexed> { $0.parent?.scanned?.label == "a" },
    ]
    for condition in conditions {
      let explanation = try explained(condition)
      // The other stores test the condition row by row. The server decides by the number of rows.
      let isScanned =
        switch store {
        case .sqlite, .sqliteInMemory: true
        case .postgreSQL: explanation.description.contains("Seq Scan on \"Scanned\"")
        case .json, .memory, .textKeys: false
        }
      let line = "missing index: #Index<Scanned>([\\.label])"
      #expect(explanation.description.contains(line) == isScanned, "\(explanation)")
    }
    // The index exists, or would not help.
    let others = [
      #Predicate<Indexed> { $0.parent?.label == "a" },
      #Predicate<Indexed> { $0.scanned?.label != "a" },
      #Predicate<Indexed> { $0.scanned?.label == nil },
    ]
    for condition in others {
      let explanation = try explained(condition)
      #expect(explanation.store.missingIndex.isEmpty, "\(explanation)")
    }
  }

  @Test(arguments: EveryStore.withServer)
  func `names the missing index of an order`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try context(store, in: folder)
    func missing<T: PersistentModel>(
      _ sort: SortDescriptor<T>...,
      where predicate: Predicate<T>? = nil,
      limit: Int? = 2
    ) throws -> [String] {
      var descriptor = FetchDescriptor(predicate: predicate, sortBy: sort)
      descriptor.fetchLimit = limit
      return try context.explain(descriptor).store.missingIndex
    }
    // The store in memory has no indexes.
    func expected(_ names: String...) -> [String] { store == .memory ? [] : names }
    let number = SortDescriptor(\Scanned.number)
    let backward = SortDescriptor(\Scanned.number, order: .reverse)
    let (hasLabel, hasNoLabel) = (
      #Predicate<Scanned> { $0.label == "a" }, #Predicate<Scanned> { $0.label != "b" }
    )
    #expect(try missing(number) == expected("number"))
    #expect(try missing(backward) == expected("number"))
    #expect(try missing(number, where: #Predicate { $0.number >= 1 }) == expected("number"))
    #expect(try missing(number, where: hasLabel) == expected("label", "number"))
    #expect(try missing(number, where: hasLabel, limit: nil) == expected("label", "number"))
    #expect(try missing(SortDescriptor(\.label), backward) == expected("label"))
    // Such an index would not help.
    #expect(try missing(number, limit: nil).isEmpty)
    #expect(try missing(number, where: hasNoLabel).isEmpty)
    #expect(try missing(SortDescriptor<Scanned>(\.persistentModelID)).isEmpty)
    let indexed = SortDescriptor(\Indexed.number)
    #expect(try missing(indexed) == expected("number"))
    #expect(try missing(SortDescriptor(\Indexed.label), indexed).isEmpty)
    #expect(try missing(indexed, where: #Predicate { $0.label == "a" }).isEmpty)
  }
}

extension EveryStore {
  fileprivate var typeName: String {
    switch self {
    case .sqlite, .sqliteInMemory: "SQLiteStore"
    case .json: "JSONFileStore"
    case .memory: "MemoryStore"
    case .textKeys: "TextKeyStore"
    case .postgreSQL: "PostgreSQLStore"
    }
  }
}
