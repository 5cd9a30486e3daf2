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
