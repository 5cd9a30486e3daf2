import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Updates of many threads")
struct LostUpdateThreadTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `are never lost under the policy error with retries`(_ store: EveryStore) throws {
    let (threads, updates) = (4, 8)
    let contexts = try TwoContexts(store)
    let container = contexts.container
    try onThreads(threads) { _ in try Self.increment(updates, in: container, .error) }
    #expect(try contexts.stored() == "base \(1 + threads * updates)")
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `are never lost if a closure adds them up`(_ store: EveryStore) throws {
    let (threads, updates) = (4, 8)
    let policy = MergePolicy.resolve { conflict in
      guard let stock = conflict[\StockItem.stock], let base = stock.base, let mine = stock.mine,
        let theirs = stock.theirs
      else { return .error }
      return try .mine.setting(\StockItem.stock, to: theirs + mine - base)
    }
    let contexts = try TwoContexts(store)
    let container = contexts.container
    try onThreads(threads) { _ in try Self.increment(updates, in: container, policy) }
    #expect(try contexts.stored() == "base \(1 + threads * updates)")
  }

  private static func increment(
    _ count: Int,
    in container: ModelContainer,
    _ policy: MergePolicy
  ) throws {
    let context = ModelContext(container)
    context.mergePolicy = policy
    for _ in 0..<count {
      while true {
        let article = try #require(try context.all(StockItem.self).first)
        article.stock += 1
        do {
          try context.save()
          break
        } catch DataStoreError.conflict {
          context.rollback()
        }
      }
    }
  }
}
