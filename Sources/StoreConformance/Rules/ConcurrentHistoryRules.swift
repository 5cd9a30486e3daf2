import StoreProtocol

/// Rules about random concurrent requests, which are recorded with begin and end, and checked
/// afterwards.
enum ConcurrentHistoryRules {
  static let all: [Rule] = [
    Rule(
      "CONC-005",
      "Concurrent threads lose no update and see no dirty, torn, stale or phantom read.",
      since: 2
    ) { bench in
      let store = try bench.store
      try check(bench, [store, store, store, store])
    },
    Rule(
      "CONC-013",
      "CONC-005 also applies to threads on two handles of a location.",
      needs: [.processes, .versions],
      hooks: [.secondHandle],
      since: 2
    ) { bench in
      let store = try bench.store
      let other = try bench.secondHandle()
      defer { try? bench.close(other) }
      try check(bench, [store, other, store, other])
    },
    Rule(
      "CONC-080",
      "Concurrent processes lose no update, and have the reads of CONC-005.",
      needs: [.processes, .versions],
      hooks: [.processes],
      since: 2,
      processes
    ),
  ]

  private static func check(_ bench: StoreBench, _ handles: [any RecordStore]) throws {
    let world = try ConcurrentWorker.World(bench)
    let log = ConcurrentLog()
    let rounds = bench.settings.count(short: 5, full: 80)
    let seed = bench.settings.seed
    let workers = Shared(
      handles.enumerated().map { number, store in
        let source = RandomSource(seed: seed &* 31 &+ UInt64(number))
        let saves = world.hasVersions || number == 0
        return ConcurrentWorker(store, world, log, source, saves: saves)
      }
    )
    // The first requests run in a fixed order that does not depend on the system.
    var order = RandomSource(seed: seed)
    for _ in 0..<20 * rounds {
      try workers.withLock { try $0[order.below(handles.count)].step(pausing: true) }
    }
    // Threads that begin together are more likely to conflict.
    for _ in 0..<5 {
      try ConcurrencyRules.onThreads(handles.count) { number in
        var worker = workers.value[number]
        for _ in 0..<rounds { try worker.step() }
        workers.withLock { [worker] in $0[number] = worker }
      }
    }
    // The final state, through each handle.
    for var worker in workers.value.prefix(2) { try worker.readAll() }
    try ConcurrentHistory(operations: log.operations).check(hasVersions: world.hasVersions)
  }

  private static func processes(_ bench: StoreBench) throws {
    let world = try ConcurrentWorker.World(bench)
    let log = ConcurrentLog(isOfProcesses: true)
    let store = try bench.store
    let seed = bench.settings.seed
    let rounds = bench.settings.count(short: 40, full: 600)
    let results = try (0..<2).map { number in
      try bench.start(ProcessTask(seed: seed &* 31 &+ UInt64(number), rounds: rounds))
    }
    let running = Shared(results.count)
    try ConcurrencyRules.onThreads(results.count + 1) { number in
      guard number < results.count else {
        let source = RandomSource(seed: seed &* 31 &+ UInt64(number))
        var worker = ConcurrentWorker(store, world, log, source, saves: true)
        while running.value > 0 { try worker.step() }
        return try worker.readAll()
      }
      defer { running.withLock { $0 -= 1 } }
      log.add(try ProcessTask.operations(in: results[number]()))
    }
    try ConcurrentHistory(operations: log.operations).check(hasVersions: true)
  }
}
