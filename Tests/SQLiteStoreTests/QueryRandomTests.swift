import Foundation
import StoreProtocol
import Testing

@testable import SQLiteStore

/// Random queries answered by the store and by the evaluator over all rows; a failure names the
/// seed and the query.
@Suite("A random query")
struct QueryRandomTests {
  /// How many queries a seed gives: 150, or as many as `QUERY_COUNT` says.
  private var count: Int {
    ProcessInfo.processInfo.environment["QUERY_COUNT"].flatMap { Int($0) } ?? 150
  }

  private func check(seed: UInt64, hasHardValues: Bool) throws {
    var random = RandomQueries(seed: seed, hasHardValues: hasHardValues)
    let store = try SQLiteStore.inMemory()
    let identifiers = try store.insert((0..<60).map { _ in random.record() })
    let rows = try store.fetch(StoreQuery(entity: "Values")).map {
      SnapshotRow($0, SampleSchema.values)
    }
    let evaluator = QueryEvaluator<SnapshotRow>(
      schema: SampleSchema.store,
      row: { identifier in rows.first { $0.identifier.key == identifier.key } },
      members: { _, _ in [] }
    )
    for number in 0..<count {
      let query = random.query(identifiers)
      let expected = try evaluator.answer(query, over: rows).map(\.identifier)
      let found = try store.fetch(query).map(\.persistentIdentifier)
      guard found == expected else {
        Issue.record("seed \(seed), query \(number): \(found) is not \(expected)\n\(dumped(query))")
        return
      }
      #expect(try store.count(query) == expected.count)
      #expect(try store.identifiers(query) == expected)
      var read: [PersistentIdentifier] = []
      try store.read(query) { identifier, _ in read.append(identifier) }
      #expect(read == expected)
    }
  }

  private func dumped(_ query: StoreQuery) -> String {
    var text = ""
    dump(query.sort, to: &text)
    return text
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `means what the evaluator means`(_ seed: UInt64) throws {
    try check(seed: seed, hasHardValues: false)
  }

  @Test(arguments: [11, 12, 13, 14] as [UInt64])
  func `means what the evaluator means where Swift and SQL differ`(_ seed: UInt64) throws {
    try check(seed: seed, hasHardValues: true)
  }

  @Test func `runs in SQL more often than not`() throws {
    var random = RandomQueries(seed: 5, hasHardValues: false)
    let store = try SQLiteStore.inMemory()
    let identifiers = try store.insert((0..<10).map { _ in random.record() })
    var native = 0
    for _ in 0..<200 {
      let query = random.query(identifiers)
      try store.database.read {
        let plan = try QueryPlan(query, catalog: store.catalog, connection: $0)
        if plan.isNative { native += 1 }
      }
    }
    #expect(native > 60)
  }
}
