import Foundation
import OpenSwiftData

extension Workload {
  /// Saves while no observers, while a hundred observe what does not change, and while one of
  /// them observes what does.
  ///
  /// Each observer has the rows of one group in the order of their ranks. The store is in memory, so
  /// that nothing hides what the observers cost.
  static func observedSaves(_ scene: Scene) throws -> Workload {
    let count = scene.rows(1_000)
    let control = Contender.control("no observers") { watch in
      let context = try filled()
      return try saves(count, in: context, watch) { $0.price += 1 }
    }
    let others = Contender.engine("100 observers, none concerned") { watch in
      let context = try filled()
      let observers = try observers(100, of: { context })
      let first = Array(observers.prefix(1))
      let saved = try saves(count, in: context, watch, tell: first) { $0.price += 1 }
      return withExtendedLifetime(observers) { saved }
    }
    let one = Contender.engine { watch in
      let context = try filled()
      let observers = try observers(100, of: { context })
      let first = Array(observers.prefix(1))
      let saved = try saves(count, in: context, watch, tell: first) { $0.rank += 1_000_000 }
      // What was raised last comes last.
      let last = observers[0].results.last?.rank ?? 0
      let highest = observers[0].results.map(\.rank).max() ?? 0
      guard last == highest, last > 1_000_000 else {
        throw BenchmarkError("an observer does not show what was saved")
      }
      return saved
    }
    return Workload(
      title: "save one changed object while 100 observe, one of them what changes",
      unit: "save",
      count: count,
      targets: [Target(ratio: 10)],
      expected: UInt64(count),
      contenders: [control, others, one]
    )
  }

  /// Saves of one context that concern one observer, alone and beside a thousand others.
  ///
  /// The others are in the context that saves or in contexts of their own. Only the observer that is
  /// concerned looks; in an actor, a save brings about a turn of its context alone.
  static func thousandObservers(_ scene: Scene, isApart: Bool) throws -> Workload {
    let count = scene.rows(200)
    func run(beside others: Int, _ watch: Stopwatch) throws -> UInt64 {
      let context = try filled()
      let observers = try observers(1 + others) {
        isApart ? ModelContext(context.container) : context
      }
      return try withExtendedLifetime(observers) {
        let first = Array(observers.prefix(1))
        let saved = try saves(count, in: context, watch, tell: first) { $0.rank += 1_000_000 }
        guard observers[0].results.last?.rank ?? 0 > 1_000_000 else {
          throw BenchmarkError("an observer does not show what was saved")
        }
        return saved
      }
    }
    let contexts = isApart ? "contexts of their own" : "the context that saves"
    return Workload(
      title: "save what concerns one observer beside 999 in \(contexts)",
      unit: "save",
      count: count,
      targets: [Target(ratio: 2)],
      expected: UInt64(count),
      contenders: [
        .control("beside none") { try run(beside: 0, $0) },
        .engine { try run(beside: 999, $0) },
      ]
    )
  }

  private static func filled() throws -> ModelContext {
    let context = ModelContext(try ModelContainer(for: Item.self, store: "memory:"))
    context.autosaveEnabled = false
    for record in Record.first(3_000) { context.insert(Item(record)) }
    try context.save()
    return context
  }

  private static func observers(
    _ count: Int,
    of context: () -> ModelContext
  ) throws -> [ResultsObserver<Item, Never>] {
    try (0..<count).map { group in
      try ResultsObserver<Item, Never>(
        filterBy: #Predicate { $0.group == group },
        sortBy: [SortDescriptor(\.rank)],
        modelContext: context()
      )
    }
  }

  /// Changes objects of the first group and saves each change, then has the observers look.
  private static func saves(
    _ count: Int,
    in context: ModelContext,
    _ watch: Stopwatch,
    tell observers: [ResultsObserver<Item, Never>] = [],
    _ change: (Item) -> Void
  ) throws -> UInt64 {
    let group = 0
    let first = FetchDescriptor<Item>(predicate: #Predicate { $0.group == group })
    let items = try context.fetch(first)
    return try watch.time {
      var saved: UInt64 = 0
      for index in 0..<count {
        change(items[index % items.count])
        try context.save()
        // One that looks brings all of its context up to date, as a turn of its isolation does.
        for observer in observers { try observer.refresh() }
        saved += 1
      }
      return saved
    }
  }
}
