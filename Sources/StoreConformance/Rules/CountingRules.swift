import Foundation
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
    _ check: @escaping @Sendable (ModelContainer, Questions) throws -> Void
  ) -> Rule {
    Rule(id, sentence, needs: [.nativeFiltering, .nativeSorting]) { bench in
      let store = try bench.open(ModelSample.schema)
      let questions = Questions()
      let configuration = AlteredStoreConfiguration(
        questions.counting,
        schema: ModelSample.schema
      ) { _ in store }
      let container = try ModelContainer(for: ModelSample.schema, configurations: [configuration])
      try fill(container)
      questions.clear()
      try check(container, questions)
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

  @Sendable private static func counts(
    _ container: ModelContainer,
    _ questions: Questions
  ) throws {
    let context = ModelContext(container)
    let long = FetchDescriptor<Voyage>(predicate: #Predicate { $0.days >= 40 })
    try expect("the count", context.fetchCount(long), equals: 60)
    try expect("the identifiers", context.fetchIdentifiers(long).count, equals: 60)
    try expect("the questions for rows", questions.rows, equals: 0)
    try expect("all questions", questions.all <= 2, "two at most")
  }

  @Sendable private static func references(
    _ container: ModelContainer,
    _ questions: Questions
  ) throws {
    let landfalls = try ModelContext(container).fetch(FetchDescriptor<Landfall>())
    questions.clear()
    let days = landfalls.compactMap { $0.voyage?.days }
    try expect("the references", days.count, equals: 200)
    try expect("the questions for 100 objects", questions.all <= few, "\(few) at most")
  }

  @Sendable private static func members(
    _ container: ModelContainer,
    _ questions: Questions
  ) throws {
    let voyages = try ModelContext(container).fetch(FetchDescriptor<Voyage>())
    questions.clear()
    let harbours = voyages.flatMap { $0.landfalls.map(\.harbour) }
    try expect("the related rows", harbours.count, equals: 200)
    try expect("the questions for 100 objects", questions.all <= few, "\(few) at most")
  }

  @Sendable private static func fetches(
    _ container: ModelContainer,
    _ questions: Questions
  ) throws {
    let long = FetchDescriptor<Voyage>(
      predicate: #Predicate { $0.days >= 40 },
      sortBy: [SortDescriptor(\.days)]
    )
    let found = try ModelContext(container).fetch(long)
    try expect("the objects", found.map(\.days), equals: Array(40..<100))
    try expect("the questions", questions.all, equals: 1)
  }

  @Sendable private static func saves(
    _ container: ModelContainer,
    _ questions: Questions
  ) throws {
    let context = ModelContext(container)
    for voyage in try context.fetch(FetchDescriptor<Voyage>()) { voyage.days += 1 }
    for number in 0..<50 { context.insert(Voyage("n\(number)")) }
    questions.clear()
    try context.save()
    try expect("the batches", questions.saves, equals: 1)
  }
}

/// Counts the requests to a store.
private final class Questions: Sendable {
  private struct Counts {
    var rows = 0
    var others = 0
    var saves = 0
  }

  private let counts = Shared(Counts())

  /// The number of requests that return rows.
  var rows: Int { counts.value.rows }
  /// The number of all requests except saves.
  var all: Int { counts.value.rows + counts.value.others }
  /// The number of batches.
  var saves: Int { counts.value.saves }

  func clear() { counts.withLock { $0 = Counts() } }

  /// Alterations that count requests and change nothing.
  var counting: Alterations {
    var alterations = Alterations()
    alterations.fetch = { [counts] _, _ in
      counts.withLock { $0.rows += 1 }
      return nil
    }
    alterations.read = { [counts] _, _ in
      counts.withLock { $0.rows += 1 }
      return nil
    }
    alterations.count = { [counts] _, _ in
      counts.withLock { $0.others += 1 }
      return nil
    }
    alterations.identifiers = { [counts] _, _ in
      counts.withLock { $0.others += 1 }
      return nil
    }
    alterations.members = { [counts] store, property, entity, owners in
      counts.withLock { $0.others += 1 }
      return try store.members(of: property, in: entity, owners: owners)
    }
    alterations.apply = { [counts] store, changes in
      counts.withLock { $0.saves += 1 }
      return try store.apply(changes)
    }
    return alterations
  }
}
