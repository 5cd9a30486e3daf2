import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A bulk update")
struct UpdatingTests {
  private func filled(_ store: EveryStore, in folder: TemporaryFolder) throws -> ModelContext {
    let context = ModelContext(try ModelContainer(vehicles: store.url(in: folder)))
    for number in 0..<6 { context.insert(Lorry("l\(number)", load: number)) }
    context.insert(Vehicle("v", price: 3))
    try context.save()
    return context
  }

  private func loads(_ context: ModelContext) throws -> [Int] {
    try context.fetch(FetchDescriptor<Lorry>(sortBy: [SortDescriptor(\.name)]), select: \.load)
  }

  @Test(arguments: EveryStore.allCases)
  func `sets constant and computed values, which the save stores`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try filled(store, in: folder)
    let count = try context.update(
      model: Lorry.self,
      where: #Predicate { $0.load > 2 },
      set: .set(\.load, to: #Expression { $0.load * 10 }),
      .set(\.price, to: #Expression { $0.price + 1 })
    )
    #expect(count == 3)
    #expect(try loads(context) == [0, 1, 2, 30, 40, 50])
    #expect(try loads(ModelContext(context.container)) == [0, 1, 2, 3, 4, 5])
    try context.save()
    #expect(try loads(ModelContext(context.container)) == [0, 1, 2, 30, 40, 50])
    try context.update(model: Vehicle.self, set: .set(\.price, to: 9))
    context.rollback()
    #expect(try context.aggregate(FetchDescriptor<Vehicle>(), .sum(\.price)) == 6)
  }

  @Test(arguments: EveryStore.allCases)
  func `changes nothing if a value cannot be computed`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try filled(store, in: folder)
    let error = #expect(throws: DataStoreError.self) {
      try context.update(
        model: Lorry.self,
        set: .set(\.price, to: 1),
        .set(\.load, to: #Expression { 12 / ($0.load - 4) })
      )
    }
    #expect(error == .invalidValue)
    #expect(error?.entity == "Lorry")
    #expect(!context.hasChanges)
  }

  // The products are exact in SQL, and those that are zero are not.
  @Test(arguments: EveryStore.allCases, [2, 0, -0.0])
  func `stores the values that were computed at the call`(
    store: EveryStore,
    price: Double
  ) throws {
    let folder = try TemporaryFolder()
    let container = try filled(store, in: folder).container
    let context = ModelContext(container)
    let car = FetchDescriptor<Vehicle>(predicate: #Predicate { $0.name == "v" })
    let count = try context.update(
      model: Vehicle.self,
      where: car.predicate,
      set: .set(\.price, to: #Expression { $0.price * 2 })
    )
    #expect(count == 1)
    let other = ModelContext(container)
    try #require(try other.fetch(car).first).price = price
    try other.save()
    try context.save()
    #expect(!context.hasChanges)
    #expect(try ModelContext(container).fetch(car, select: \.price) == [6])
  }

  @Test(arguments: EveryStore.allCases)
  func `is not concerned by values that would overflow after the call`(
    store: EveryStore
  ) throws {
    let folder = try TemporaryFolder()
    let container = try filled(store, in: folder).container
    let context = ModelContext(container)
    try context.update(model: Lorry.self, set: .set(\.load, to: #Expression { $0.load + 1 }))
    let other = ModelContext(container)
    let lorry = try #require(
      try other.fetch(FetchDescriptor<Lorry>(predicate: #Predicate { $0.load == 3 })).first
    )
    lorry.load = .max
    try other.save()
    try context.save()
    #expect(try loads(ModelContext(container)) == [1, 2, 3, 4, 5, 6])
    // The next call meets the greatest value.
    try #require(try other.fetch(FetchDescriptor<Lorry>()).first).load = .max
    try other.save()
    let error = #expect(throws: DataStoreError.self) {
      try context.update(model: Lorry.self, set: .set(\.load, to: #Expression { $0.load + 1 }))
    }
    #expect(error == .invalidValue)
    #expect(error?.entity == "Lorry")
    #expect(!context.hasChanges)
  }
}
