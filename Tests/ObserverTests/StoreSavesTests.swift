import ComposableStores
import Foundation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@testable import ModelLayer

@Suite("The saves to a store by their numbers")
struct StoreSavesTests {
  @Test(arguments: 0..<200)
  func `each save of others is reported once, and none of the container's`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var trial = try Trial()
    for _ in 0..<80 { trial.step(Int.random(in: 0..<7, using: &random), &random) }
    trial.end()
    #expect(trial.reported == trial.others)
    #expect(trial.saves.nextChange({}) == nil)
  }

  /// The watch of a store finds a save on its own thread, at the same time as a fetch.
  @Test func `a save that another thread has found is in the feed`() throws {
    let numbers = SaveCounter()
    let core = try Trial.container(numbers).core
    let feed = SaveFeed(core.stores.all, core.schema.storeSchema) { _ in }
    try #require(feed.stores.first).watch(.on(numbers, nil))
    var position = feed.join()
    let rounds = Rounds()
    Thread.detachNewThread {
      for round in 1...Rounds.count {
        rounds.begun.wait(for: round)
        feed.look()
        rounds.ended.store(round, ordering: .releasing)
      }
    }
    var missed = 0
    for round in 1...Rounds.count {
      _ = numbers.save()
      numbers.notice()
      rounds.begun.store(round, ordering: .releasing)
      for _ in 0..<round % 400 { _ = rounds.ended.load(ordering: .relaxed) }
      feed.notice()
      if feed.read(from: &position) == nil { missed += 1 }
      rounds.ended.wait(for: round)
      _ = feed.read(from: &position)
    }
    #expect(missed == 0)
  }

  private final class Rounds: Sendable {
    static let count = 2_000

    let begun = Atomic(0)
    let ended = Atomic(0)
  }

  /// Saves of a container and of others, some at the same time.
  private struct Trial {
    let numbers = SaveCounter()
    let saves: StoreSaves
    private(set) var others: Set<Int64> = []
    private(set) var reported: Set<Int64> = []
    /// Saves of others that contexts have not noticed yet.
    private var unnoticed: Set<Int64> = []
    private var runningCount = 0
    /// The running saves that the store has applied.
    private var applied: [Int64] = []

    init() throws {
      saves = StoreSaves(try #require(Self.container(numbers).core.stores.all.first))
      saves.watch(.on(numbers, nil))
    }

    /// Returns the container of a store that notices the saves of a counter.
    static func container(_ numbers: SaveCounter) throws -> ModelContainer {
      try ModelContainer(
        for: Trip.self,
        Stop.self,
        Invoice.self,
        configurations: NumberedConfiguration(base: MemoryStoreConfiguration(), numbers: numbers)
      )
    }

    mutating func step(_ kind: Int, _ random: inout SeededGenerator) {
      switch kind {
      case 0:
        let number = numbers.save()
        others.insert(number)
        unnoticed.insert(number)
      case 1:
        saves.countRunning(1)
        runningCount += 1
      case 2 where runningCount > applied.count:
        applied.append(numbers.save())
      case 3 where !applied.isEmpty:
        finish(applied.remove(at: Int.random(in: applied.indices, using: &random)))
      case 4:
        numbers.notice()
        var isAnnounced = false
        saves.notice { isAnnounced = true }
        #expect(isAnnounced || unnoticed.isEmpty)
        unnoticed = []
      default: look()
      }
    }

    private mutating func finish(_ number: Int64) {
      let earlier = unnoticed.filter { $0 < number }
      var hadOthers: Bool?
      saves.note(number) { hadOthers = $0 }
      #expect(hadOthers == true || hadOthers == false && earlier.isEmpty)
      unnoticed.subtract(earlier)
      runningCount -= 1
      saves.countRunning(-1)
    }

    private mutating func look() {
      guard case .saves(let range)? = saves.nextChange({}) else { return }
      #expect(runningCount == 0)
      for number in [range.lowerBound, range.upperBound] {
        #expect(others.contains(number) && !reported.contains(number))
      }
      reported.formUnion(others.filter(range.contains))
      unnoticed = unnoticed.filter { $0 > range.upperBound }
    }

    /// Ends the running saves, and looks for others' a last time.
    mutating func end() {
      for number in applied { finish(number) }
      applied = []
      while runningCount > 0 {
        runningCount -= 1
        saves.countRunning(-1)
      }
      look()
    }
  }
}

extension Atomic where Value == Int {
  /// Waits until another thread has stored a number.
  fileprivate borrowing func wait(for number: Int) {
    while load(ordering: .acquiring) < number { sched_yield() }
  }
}

/// The numbers of the saves to a store, and its watch.
final class SaveCounter: StoreWatch, Hashable {
  private let numbers = Mutex((last: Int64(0), noticed: Int64(0), watched: Int64(0)))

  var file: URL? { nil }
  var noticed: Int64 { numbers.withLock { $0.noticed } }

  func save() -> Int64 {
    numbers.withLock { numbers in
      numbers.last += 1
      return numbers.last
    }
  }

  func notice() { numbers.withLock { $0.noticed = $0.last } }

  func newSaves() -> ClosedRange<Int64>? {
    numbers.withLock { numbers in
      defer { numbers.watched = numbers.last }
      return numbers.last > numbers.watched ? numbers.watched + 1...numbers.last : nil
    }
  }

  static func == (lhs: SaveCounter, rhs: SaveCounter) -> Bool { lhs === rhs }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A store that notices the saves of a counter.
final class NumberedStore<Base: RecordStore>: WrappingStore {
  typealias Configuration = NumberedConfiguration<Base.Configuration>

  let configuration: Configuration
  let base: Base
  var latestSave: Int64? { configuration.numbers.noticed }

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    base = try Base(configuration.base, migrationPlan: migrationPlan)
  }
}

struct NumberedConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  typealias Store = NumberedStore<Below.Store>

  var base: Below
  let numbers: SaveCounter
}
