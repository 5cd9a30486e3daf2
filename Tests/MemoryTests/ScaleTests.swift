import AllocationCounting
import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

/// Many contexts and observers at once.
@Suite(.serialized) struct ScaleTests {
  private static let isAlone = ProcessInfo.processInfo.environment["OPENSWIFTDATA_ROUNDS"] != nil

  @Test func `contexts that are alive are not looked at by those that come and save`() throws {
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
    // Each reads on from where it stands.
    let positions = contexts.map(\.state.deletionPosition)
    #expect(positions.allSatisfy { log.deletions(since: $0).identifiers.count == 3 })
    #expect(log.deletions(since: context.state.deletionPosition).identifiers.isEmpty)
    guard Self.isAlone else { return }
    print("a context that is alive has \(size) bytes")
    #expect(size < 1_500)
  }

  @Test func `deletions are forgotten with the last context that could ask`() throws {
    let scene = try Scene(.memory)
    let log = scene.container.core.changes.deletions
    do {
      let (context, other) = (scene.context(), scene.context())
      for volume in try context.fetch(FetchDescriptor<Volume>()) { context.delete(volume) }
      try context.save()
      #expect(log.deletions(since: other.state.deletionPosition).identifiers.count == 3)
    }
    #expect(log.readerCount == 0)
    let late = log.addReader()
    #expect(log.deletions(since: late).identifiers.isEmpty && !log.deletions(since: late).isMuch)
    log.removeReader()
  }

  @Test func `a reader that is far behind is told to look for itself`() {
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
