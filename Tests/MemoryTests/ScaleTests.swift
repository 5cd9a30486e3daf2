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
    let log = scene.container.core.changes.deletions
    let before = allocated_bytes()
    let contexts = (0..<10_000).map { _ in ModelContext(scene.container) }
    let size = (allocated_bytes() - before) / contexts.count
    #expect(log.readerCount == contexts.count)
    let context = ModelContext(scene.container)
    for number in 1...3 {
      let volume = Volume("volume \(number)")
      context.insert(volume)
      try context.save()
      context.delete(volume)
      try context.save()
    }
    // Each continues from its own position.
    let positions = contexts.map(\.state.seen.deletions)
    #expect(positions.allSatisfy { log.deletions(since: $0).identifiers.count == 3 })
    #expect(log.deletions(since: context.state.seen.deletions).identifiers.isEmpty)
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

  @Test func `deletions are dropped with the last context that could read them`() throws {
    let scene = try Scene(.memory)
    let log = scene.container.core.changes.deletions
    var position: UInt64 = 0
    do {
      let (context, other) = (scene.context(), scene.context())
      for volume in try context.fetch(FetchDescriptor<Volume>()) { context.delete(volume) }
      try context.save()
      position = other.state.seen.deletions
      #expect(log.deletions(since: position).identifiers.count == 3)
    }
    #expect(log.readerCount == 0)
    // No deletions are kept. A reader at this position must fetch again.
    #expect(log.deletions(since: position).isMuch)
    let late = log.addReader()
    #expect(log.deletions(since: late).identifiers.isEmpty && !log.deletions(since: late).isMuch)
    log.removeReader()
  }

  @Test func `a reader far behind the log must fetch again`() {
    let log = DeletionLog()
    let late = log.addReader()
    _ = log.addReader()
    let scope = PersistentIdentifier.Scope(storeIdentifier: "store", entityName: "Volume")
    for number in 0..<30 {
      let rows = (0..<1_000).map {
        PersistentIdentifier(scope: scope, key: .integer(Int64(number * 1_000 + $0)))
      }
      _ = log.append(rows, isMuch: false, position: nil)
    }
    let deletions = log.deletions(since: late)
    #expect(deletions.isMuch)
    #expect(!log.deletions(since: deletions.position).isMuch)
  }
}
