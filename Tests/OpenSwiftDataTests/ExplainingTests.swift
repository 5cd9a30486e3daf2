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
  func `names the store and the filter`(store: EveryStore) throws {
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
    #expect(explanation.description.contains("name"))
    #expect(explanation.description.contains("Store"))
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
    try context.save()
    #expect(try context.fetchCount(descriptor) == 3)
  }
}
