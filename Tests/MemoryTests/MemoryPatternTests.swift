import AllocationCounting
import Foundation
import StoreTestSupport
import Testing

/// Everything that a context, an object, an observer or a container owns is released with it.
///
/// `Scripts/check-memory` runs each pattern 10,000 times, alone in its process, and also counts bytes,
/// open files and threads (`OPENSWIFTDATA_ROUNDS`).
@Suite(.serialized) struct MemoryPatternTests {
  private static let environment = ProcessInfo.processInfo.environment

  private static let rounds = environment["OPENSWIFTDATA_ROUNDS"].flatMap(Int.init)

  /// The patterns of the run, all unless words of their names are given.
  private static let patterns = Pattern.all.filter {
    environment["OPENSWIFTDATA_PATTERN"].map($0.name.contains) ?? true
  }

  /// The stores of the run: all, unless the environment names one.
  private static let stores = EveryStore.allCases.filter {
    [nil, $0.rawValue].contains(environment["OPENSWIFTDATA_STORE"])
  }

  /// Each pattern on each store, or a third of these.
  private static let pairs: [(Pattern, EveryStore)] = {
    let all = patterns.flatMap { pattern in stores.map { (pattern, $0) } }
    return Self.rounds == nil ? Sweep.part(all, of: all.count / 3) : all
  }()

  @Test(arguments: pairs)
  func `a usage pattern releases everything that it created`(
    _ pattern: Pattern,
    _ store: EveryStore
  ) async throws {
    if Self.rounds != nil { thrown_errors_are_not_recorded() }
    let scene = try Scene(store)
    let rounds = Self.rounds.map { pattern.isSlow ? max(100, $0 / 10) : $0 } ?? 3
    // These rounds create what is created once: statements, caches and the allocator's own lists.
    for _ in 0..<min(rounds, 500) { try await pattern.perform(scene) }
    if Self.rounds != nil { #expect(scene.openReaders()) }
    // Connections at a time may reach a new maximum in a pass, and SQLite keeps their files for later
    // ones. A leak grows in each pass.
    var growth: [String] = []
    for _ in 0..<(Self.rounds == nil ? 1 : 3) {
      await MainActor.run {}
      let before = Holdings.now()
      for _ in 0..<rounds { try await pattern.perform(scene) }
      // The release of an actor's context may still be scheduled on that actor.
      await MainActor.run {}
      var turns = 0
      while scene.census.living != [:], turns < 10_000 {
        turns += 1
        await Task.yield()
      }
      try #require(scene.census.living == [:])
      guard Self.rounds != nil else { return }
      growth = Holdings.now().growth(since: before, rounds: rounds)
      if growth.isEmpty { break }
    }
    #expect(growth == [])
  }
}
