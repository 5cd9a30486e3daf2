import ComposableStores
import ModelLayer

/// Rules about the cost of requests, which count requests to the store instead of time.
enum CountingRules {
  static let all: [Rule] = [
    rule("COUNT-001", "Counts and identifiers read no rows.", counts),
    rule("COUNT-002", "References of many objects are loaded in a few requests.", references),
    rule("COUNT-003", "Related objects of many objects are loaded in a few requests.", members),
    rule("COUNT-004", "A fetch is one request to the store.", fetches),
    rule("COUNT-005", "A save of many objects is one batch.", saves),
  ]

  /// A limit that is far above the expected number of requests for a hundred objects.
  private static let few = 12

  private static func rule(
    _ id: String,
    _ sentence: String,
    _ check: @escaping @Sendable (ModelContext, StoreCounter) throws -> Void
  ) -> Rule {
    Rule(id, sentence, needs: [.nativeFiltering, .nativeSorting]) { bench in
      try bench.open(ModelSample.schema)
      let counter = StoreCounter()
      let configuration = TracedConfiguration(
        base: try bench.untraced,
        trace: bench.trace,
        schema: ModelSample.schema
      )
      .counted(by: counter)
      let container = try ModelContainer(for: ModelSample.schema, configurations: [configuration])
      try fill(container)
      try check(ModelContext(container), counter)
    }
  }

  private static func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    for number in 0..<100 {
      let voyage = Voyage("v\(number)", days: number)
      voyage.landfalls = [Landfall("a\(number)"), Landfall("b\(number)")]
      context.insert(voyage)
    }
    try context.save()
  }

  private static func counts(_ context: ModelContext, _ counter: StoreCounter) throws {
    let long = FetchDescriptor<Voyage>(predicate: #Predicate { $0.days >= 40 })
    let count = try counter.count {
      try expect("the count", context.fetchCount(long), equals: 60)
      try expect("the identifiers", context.fetchIdentifiers(long).count, equals: 60)
    }
    let ofRows = (count.byKind[.fetch] ?? 0) + (count.byKind[.read] ?? 0)
    try expect("the questions for rows", ofRows, equals: 0)
    try expect("all questions", count.requests, <=, 2, "two at most")
  }

  private static func references(_ context: ModelContext, _ counter: StoreCounter) throws {
    let landfalls = try context.fetch(FetchDescriptor<Landfall>())
    let count = try counter.count {
      let days = landfalls.compactMap { $0.voyage?.days }
      try expect("the references", days.count, equals: 200)
    }
    try expect("the questions for 100 objects", count.requests, <=, few, "\(few) at most")
  }

  private static func members(_ context: ModelContext, _ counter: StoreCounter) throws {
    let voyages = try context.fetch(FetchDescriptor<Voyage>())
    let count = try counter.count {
      let harbours = voyages.flatMap { $0.landfalls.map(\.harbour) }
      try expect("the related rows", harbours.count, equals: 200)
    }
    try expect("the questions for 100 objects", count.requests, <=, few, "\(few) at most")
  }

  private static func fetches(_ context: ModelContext, _ counter: StoreCounter) throws {
    let long = FetchDescriptor<Voyage>(
      predicate: #Predicate { $0.days >= 40 },
      sortBy: [SortDescriptor(\.days)]
    )
    let count = try counter.count {
      let found = try context.fetch(long)
      try expect("the objects", found.map(\.days), equals: Array(40..<100))
    }
    try expect("the questions", count.requests, equals: 1)
  }

  private static func saves(_ context: ModelContext, _ counter: StoreCounter) throws {
    for voyage in try context.fetch(FetchDescriptor<Voyage>()) { voyage.days += 1 }
    for number in 0..<50 { context.insert(Voyage("n\(number)")) }
    let count = try counter.count { try context.save() }
    try expect("the batches", count.saves, equals: 1)
  }
}
