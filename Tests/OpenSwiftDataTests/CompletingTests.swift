import Foundation
import OpenSwiftData
import Testing

@Suite("Parts of a query that a store does not evaluate")
struct CompletingTests {
  private func filled<C: DataStoreConfiguration>(_ configuration: C) throws -> ModelContext {
    let container = try ModelContainer(
      for: Vehicle.self,
      Lorry.self,
      Garage.self,
      Driver.self,
      configurations: configuration
    )
    let context = ModelContext(container)
    for number in 0..<30 {
      let vehicle = number % 3 == 0 ? Lorry("v\(number)", load: number) : Vehicle("v\(number)")
      vehicle.price = Double(number % 7)
      context.insert(vehicle)
    }
    context.insert(Garage("Bern"))
    try context.save()
    return ModelContext(container)
  }

  private func descriptor() -> FetchDescriptor<Vehicle> {
    var descriptor = FetchDescriptor<Vehicle>(
      predicate: #Predicate { $0.price > 1 && $0.name != "v3" && $0.price < 6 },
      sortBy: [SortDescriptor(\.price, order: .reverse), SortDescriptor(\.name)]
    )
    descriptor.fetchOffset = 2
    descriptor.fetchLimit = 5
    return descriptor
  }

  private static let expected = ["v26", "v5", "v11", "v18", "v25"]

  /// Checks that each kind of query has the result of a store that evaluates everything.
  private func check(_ context: ModelContext) throws {
    let descriptor = descriptor()
    #expect(try context.fetch(descriptor).map(\.name) == Self.expected)
    #expect(try context.fetchCount(descriptor) == 5)
    let identifiers = try context.fetchIdentifiers(descriptor)
    #expect(identifiers == (try context.fetch(descriptor).map(\.persistentModelID)))
    #expect(try context.fetch(descriptor, select: \.name) == Self.expected)
    let lorries = FetchDescriptor<Lorry>(predicate: #Predicate { $0.load > 6 && $0.price == 0 })
    #expect(try context.fetch(lorries).map(\.name) == ["v21"])
    var whole = descriptor
    whole.sortBy = []
    whole.fetchOffset = nil
    whole.fetchLimit = nil
    let (count, sum) = try context.aggregate(whole, .count, .sum(\.price))
    #expect(count == 15)
    #expect(sum == 53)
    var pages: [String] = []
    var page = descriptor
    for offset in stride(from: 0, to: 18, by: 5) {
      page.fetchOffset = offset
      pages += try context.fetch(page).map(\.name)
    }
    #expect(pages.count == 15)
    #expect(Array(pages[2..<7]) == Self.expected)
    try context.delete(model: Vehicle.self, where: #Predicate { $0.price > 1 && $0.price < 4 })
    try context.save()
    #expect(try context.fetchCount(whole) == 8)
  }

  @Test(arguments: FrugalStore.Thrift.allCases)
  func `are evaluated above a store that reports or refuses them`(thrift: FrugalStore.Thrift) throws
  {
    try check(try filled(FrugalStore.Configuration(thrift: thrift)))
  }

  @Test func `do not exist for a store that evaluates everything`() throws {
    try check(try filled(MemoryStoreConfiguration()))
  }

  @Test(arguments: [false, true], [false, true])
  func `are evaluated above a store written for SwiftData`(predicates: Bool, orders: Bool) throws {
    try check(
      try filled(
        AskedStore.Configuration(refusesPredicates: predicates, refusesOrders: orders)
      )
    )
  }

  @Test func `are the only parts that are evaluated above the store`() throws {
    let configuration = FrugalStore.Configuration(thrift: .takesFirstCondition)
    let context = try filled(configuration)
    configuration.asked.clear()
    _ = try context.fetch(descriptor())
    let asked = try #require(configuration.asked.all.first)
    #expect(configuration.asked.all.count == 1)
    #expect("\(asked)".contains("price > 1"))
    #expect(!"\(asked)".contains("v3"))
    #expect(asked.sort.isEmpty)
    #expect(asked.limit == nil)
    let explanation = try context.explain(descriptor())
    #expect(!explanation.isNative)
    #expect("\(explanation)".contains("filter row by row: $0.name != \"v3\""))
    #expect("\(explanation)".contains("order: in memory"))
  }

  @Test(arguments: FrugalStore.Thrift.allCases)
  func `are an error if the context requires native fetches`(
    thrift: FrugalStore.Thrift
  ) throws {
    let context = try filled(FrugalStore.Configuration(thrift: thrift))
    context.requiresNativeFetches = true
    let descriptor = descriptor()
    var whole = descriptor
    whole.sortBy = []
    #expect(throws: DataStoreError.unsupportedFeature) { try context.fetch(descriptor) }
    #expect(throws: DataStoreError.unsupportedFeature) { try context.fetchCount(descriptor) }
    #expect(throws: DataStoreError.unsupportedFeature) { try context.fetchIdentifiers(descriptor) }
    #expect(throws: DataStoreError.unsupportedFeature) {
      try context.fetch(descriptor, select: \.name)
    }
    if thrift == .takesNoOrder {
      #expect(try context.aggregate(whole, .count) == 15)
    } else {
      #expect(throws: DataStoreError.unsupportedFeature) { try context.aggregate(whole, .count) }
    }
  }

  @Test func `a store for SwiftData receives the predicate, the order and a limit, but no offset`()
    throws
  {
    let configuration = AskedStore.Configuration()
    let context = try filled(configuration)
    configuration.asked.clear()
    _ = try context.fetch(descriptor())
    // The offset is not passed: it is unknown whether a store has applied it.
    #expect(configuration.asked.all == ["true 2 7 0"])
    let careful = AskedStore.Configuration(refusesPredicates: true, refusesOrders: true)
    let other = try filled(careful)
    careful.asked.clear()
    _ = try other.fetch(descriptor())
    #expect(careful.asked.all == ["false 0 -1 0"])
  }
}
