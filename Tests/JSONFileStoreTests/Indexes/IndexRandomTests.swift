import QueryEvaluation
import StoreProtocol
import StoreTestSupport
import Testing

@Suite struct `Indexes return the results of the evaluator` {
  @Test(arguments: UInt64(1)...5)
  func `after random saves`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let indexed = try IndexedStore()
    for round in 0..<10 {
      try indexed.change(
        &random,
        inserting: round == 0 ? 120 : .random(in: 0...20, using: &random),
        updating: round == 0 ? 0 : .random(in: 0...20, using: &random),
        deleting: round == 0 ? 0 : .random(in: 0...18, using: &random)
      )
      if round == 7 { try indexed.reopen() }
      try check(indexed, seed: random.next(), queries: 24, "seed \(seed), round \(round)")
    }
  }

  private func check(
    _ indexed: IndexedStore,
    seed: UInt64,
    queries: Int,
    _ label: String
  ) throws {
    let rows = try indexed.rows()
    let evaluator = indexed.evaluator(rows)
    var maker = RandomIndexQueries(
      random: SeededGenerator(seed: seed),
      identifiers: indexed.identifiers.prefix(4) + indexed.gone.suffix(4) + indexed.identifiers
    )
    for _ in 0..<queries {
      let query = maker.query()
      let expected = try evaluator.evaluate(query, over: rows).map(\.identifier)
      let found = try indexed.store.identifiers(query)
      #expect(found == expected, "\(label): \(query)")
      #expect(try indexed.store.count(query) == expected.count, "\(label), count: \(query)")
      let records = try indexed.store.fetch(query).map(\.persistentIdentifier)
      #expect(records == expected, "\(label), fetch: \(query)")
    }
  }

  @Test(arguments: Sweep.part([UInt64(21), 22], of: 1))
  func `after changes to more rows than one chunk holds`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let indexed = try IndexedStore()
    try indexed.change(&random, inserting: 1_800, updating: 0, deleting: 0)
    try check(indexed, seed: random.next(), queries: 12, "seed \(seed)")
    try indexed.change(&random, inserting: 60, updating: 200, deleting: 300)
    try check(indexed, seed: random.next(), queries: 12, "seed \(seed), changed")
  }
}
