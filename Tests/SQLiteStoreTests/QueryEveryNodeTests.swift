import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport
import Testing

/// Random expressions of every node over every entity, compared with the evaluator.
///
/// A failure names the seed and the query.
@Suite("A query with any expression node")
struct QueryEveryNodeTests {
  /// The number of queries for each seed: 120, or the value of `QUERY_COUNT`.
  private static let count =
    ProcessInfo.processInfo.environment["QUERY_COUNT"].flatMap { Int($0) } ?? 120

  private static let seeds: [UInt64] = {
    let first = ProcessInfo.processInfo.environment["QUERY_SEED"].flatMap { UInt64($0) } ?? 1
    return (0..<4).map { first + $0 }
  }()

  @Test(arguments: seeds)
  func `returns the same result as the evaluator`(_ seed: UInt64) throws {
    var random = RandomExpressions(seed: seed)
    let store = try SQLiteStore.filled(&random)
    let reference = try Reference(store)
    var (native, total) = (0, 0)
    for number in 0..<Self.count {
      let entity = random.pick(["Values", "Trip", "Item", "Tag"])
      var query = StoreQuery(entity: entity)
      query.filter = random.filter(entity, depth: random.pick([1, 2, 3, 4]))
      if random.chance(50) { query.sort = [random.sort(entity)] }
      if random.chance(20) { query.limit = 5 }
      guard let expected = try? reference.evaluate(query) else { continue }
      let found = Result { try store.identifiers(query) }
      guard case .success(expected) = found else {
        Issue.record(
          "seed \(seed), query \(number): \(found), not \(expected): \(try store.explain(.query(query)).statements)"
        )
        return
      }
      #expect(try store.count(query) == expected.count)
      total += 1
      if try store.plan(query).isNative { native += 1 }
    }
    #expect(native * 10 > total * 8, "of \(total) queries \(native) ran in SQL")
  }
}
