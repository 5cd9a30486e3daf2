import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `Functions of values in predicates` {
  private static let noon = Date(timeIntervalSince1970: 1_000_000)

  private func context(_ store: EveryStore, _ folder: TemporaryFolder) throws -> ModelContext {
    let container = try ModelContainer(
      for: Relic.self,
      Vase.self,
      RelicKeeper.self,
      store: store.url(in: folder)
    )
    let context = ModelContext(container)
    for number in -2...2 {
      let relic = Relic(number)
      relic.count = number
      relic.price = [.nan, .infinity, -1, 0, 1][number + 2]
      relic.made = Self.noon.addingTimeInterval(Double(number))
      relic.key = UUID(uuid: (UInt8(number + 2), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xAB))
      context.insert(relic)
    }
    try context.save()
    return context
  }

  private func numbers(
    _ context: ModelContext,
    _ predicate: Predicate<Relic>,
    _ sort: [SortDescriptor<Relic>] = [SortDescriptor(\.number)]
  ) throws -> [Int] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: sort)).map(\.number)
  }

  @Test(arguments: EveryStore.allCases)
  func `mean the same as in Swift`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try context(store, folder)
    let noon = Self.noon.timeIntervalSince1970
    let reference = Self.noon.timeIntervalSinceReferenceDate
    let key = "02000000-0000-0000-0000-0000000000AB"
    #expect(try numbers(context, #Predicate { $0.count.magnitude == 2 }) == [-2, 2])
    #expect(try numbers(context, #Predicate { $0.price.isNaN }) == [-2])
    #expect(try numbers(context, #Predicate { $0.price.isInfinite }) == [-1])
    #expect(try numbers(context, #Predicate { !$0.price.isFinite }) == [-2, -1])
    #expect(try numbers(context, #Predicate { $0.price.magnitude == 1 }) == [0, 2])
    #expect(try numbers(context, #Predicate { $0.made.timeIntervalSince1970 > noon }) == [1, 2])
    let isBefore = #Predicate<Relic> { $0.made.timeIntervalSinceReferenceDate < reference }
    #expect(try numbers(context, isBefore) == [-2, -1])
    #expect(try numbers(context, #Predicate { $0.key.uuidString == key }) == [0])
  }

  @Test(arguments: EveryStore.allCases)
  func `can be sort keys and selected values`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let context = try context(store, folder)
    let byMagnitude = [SortDescriptor(\Relic.count.magnitude), SortDescriptor(\Relic.number)]
    let all = #Predicate<Relic> { _ in true }
    #expect(try numbers(context, all, byMagnitude) == [0, -1, 1, -2, 2])
    let descriptor = FetchDescriptor<Relic>(sortBy: [SortDescriptor(\.number)])
    #expect(try context.fetch(descriptor, select: \.count.magnitude) == [2, 1, 0, 1, 2])
  }

  @Test func `are described as in Swift`() throws {
    let expression = QueryExpression.function(.isNaN, .property(.element(0), "price"))
    #expect(expression.description == "$0.price.isNaN")
  }
}
