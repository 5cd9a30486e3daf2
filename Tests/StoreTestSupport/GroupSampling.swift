import StoreProtocol

/// A store that commits several saves at once, with the inside that tests of it use.
package protocol GroupedStore: RecordStore {
  /// The number of saves that wait for another one.
  var waitingSaves: Int { get }

  /// Runs code while all saves wait for it.
  func betweenSaves<Result>(_ body: () throws -> Result) rethrows -> Result
}

/// A store and a gate at which its first save waits until some others wait for it.
package protocol GroupSampling {
  associatedtype Store: GroupedStore

  var store: Store { get }
  var gate: WaitingGate { get }
}

extension GroupSampling {
  /// Saves changes on threads of their own, which arrive in their order while the first save waits.
  package func save(_ saves: [StoreChanges]) -> [Result<StoreChangesResult, any Error>] {
    run(saves.count) { [store] in try store.apply(saves[$0]) }
  }

  /// Saves changes on threads of their own, all of which wait until a function has run.
  package func save(
    _ saves: [StoreChanges],
    after work: @escaping @Sendable () throws -> Void
  ) throws -> [Result<StoreChangesResult, any Error>] {
    let (store, gate) = (store, gate)
    let results = run(saves.count + 1) { index -> StoreChangesResult in
      if index > 0 { return try store.apply(saves[index - 1]) }
      try store.betweenSaves {
        gate.wait { store.waitingSaves }
        try work()
      }
      return StoreChangesResult()
    }
    _ = try results[0].get()
    return Array(results.dropFirst())
  }

  /// Runs a function with the numbers of threads of their own, of which the first one waits for the
  /// saves of the others.
  package func run<Value>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) throws -> Value
  ) -> [Result<Value, any Error>] {
    let store = store
    return ArrivingThreads.run(count, at: gate, waiting: { store.waitingSaves }, body)
  }
}
