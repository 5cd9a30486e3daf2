import StoreProtocol

/// Random requests of threads at once are recorded with begin and end, and judged afterwards.
enum ConcurrentHistoryRules {
  static let all: [Rule] = [
    Rule(
      "CONC-005",
      "Whatever threads do at once, no update is lost and no read dirty, torn, stale, older than an "
        + "earlier one, or with phantoms.",
      since: 2
    ) { bench in
      let store = try bench.store
      try check(bench, [store, store, store, store])
    },
    Rule(
      "CONC-013",
      "So it is when the threads work on two handles of a place.",
      needs: [.processes, .versions],
      hooks: [.secondHandle],
      since: 2
    ) { bench in
      let store = try bench.store
      let other = try bench.secondHandle()
      defer { try? bench.close(other) }
      try check(bench, [store, other, store, other])
    },
  ]

  private static func check(_ bench: StoreBench, _ handles: [any RecordStore]) throws {
    let world = try ConcurrentWorker.World(bench)
    let log = ConcurrentLog()
    let rounds = bench.settings.count(short: 25, full: 400)
    let seed = bench.settings.seed
    @Sendable func worker(_ thread: Int) -> ConcurrentWorker {
      ConcurrentWorker(
        handles[thread],
        world,
        log,
        RandomSource(seed: seed &* 31 &+ UInt64(thread)),
        saves: world.hasVersions || thread == 0
      )
    }
    try ConcurrencyRules.onThreads(handles.count) { thread in
      var worker = worker(thread)
      for _ in 0..<rounds { try worker.step() }
    }
    // What is there in the end, through each handle.
    for thread in 0..<2 {
      var worker = worker(thread)
      try worker.readAll()
    }
    try log.history.check(hasVersions: world.hasVersions)
  }
}
