import AllocationCounting
import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

/// Many contexts and observers at once.
@Suite(.serialized) struct ScaleTests {
  private static let isAlone = ProcessInfo.processInfo.environment["OPENSWIFTDATA_ROUNDS"] != nil

  @Test func `idle contexts do no work when another context saves`() throws {
    let scene = try Scene(.memory)
    let feed = scene.container.core.saves
    let before = allocated_bytes()
    let contexts = (0..<10_000).map { _ in ModelContext(scene.container) }
    let size = (allocated_bytes() - before) / contexts.count
    #expect(feed.readerCount == contexts.count)
    let context = ModelContext(scene.container)
    for number in 1...3 {
      let volume = Volume("volume \(number)")
      context.insert(volume)
      try context.save()
      context.delete(volume)
      try context.save()
    }
    // Each continues from its own position, and all share one entry.
    let positions = contexts.map(\.state.feed.position)
    #expect(positions.allSatisfy { feed.unread(since: $0)?.deleted.count == 3 })
    #expect(feed.unread(since: context.state.feed.position) == nil)
    #expect(feed.keptCounts == (entries: 1, rows: 3))
    guard Self.isAlone else { return }
    print("a context that is alive has \(size) bytes")
    #expect(size < 1_500)
  }

  @Test(arguments: [false, true])
  func `a save wakes only the observers that it affects`(isApart: Bool) throws {
    let scene = try Scene(.memory)
    let shared = ModelContext(scene.container)
    let before = allocated_bytes()
    let observers = try (0..<1_000).map { number in
      let title = "observed \(number)"
      return try ResultsObserver<Volume, Never>(
        filterBy: #Predicate { $0.title == title },
        modelContext: isApart ? ModelContext(scene.container) : shared
      )
    }
    let size = (allocated_bytes() - before) / observers.count
    shared.insert(Volume("observed 7"))
    shared.insert(Volume("observed by none"))
    try shared.save()
    #expect(observers[7].results.count == 1)
    let woken = observers.reduce(0) { $0 + $1.results.count }
    #expect(woken == 1)
    let contexts = isApart ? observers.map(\.modelContext) : [shared]
    #expect(contexts.reduce(0) { $0 + $1.state.resultsUpdater().counts.wakes } == 1)
    guard Self.isAlone else { return }
    print("an observer \(isApart ? "with its context" : "beside others") has \(size) bytes")
    #expect(size < (isApart ? 8_000 : 4_000))
  }

  @Test func `entries are dropped with the last context that could read them`() throws {
    let scene = try Scene(.memory)
    let feed = scene.container.core.saves
    do {
      let (context, other) = (scene.context(), scene.context())
      for volume in try context.fetch(FetchDescriptor<Volume>()) { context.delete(volume) }
      try context.save()
      #expect(feed.unread(since: context.state.feed.position) == nil)
      #expect(feed.unread(since: other.state.feed.position)?.deleted.count == 3)
      #expect(feed.keptCounts == (entries: 1, rows: 3))
    }
    #expect(feed.readerCount == 0 && feed.keptCounts == (entries: 0, rows: 0))
    let late = scene.context()
    #expect(feed.unread(since: late.state.feed.position) == nil)
  }

  @Test func `a save for which no context waits adds no entry`() throws {
    let scene = try Scene(.memory)
    let feed = scene.container.core.saves
    let context = scene.context()
    let end = feed.end
    for number in 0..<100 {
      context.insert(Volume("volume \(number)"))
      try context.save()
    }
    #expect(feed.end == end && feed.keptCounts == (entries: 0, rows: 0))
  }
}
