import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

/// Long chains of unsaved objects are released one object after the other.
@Suite("Long chains of unsaved objects", .timeLimit(.minutes(30)))
struct LongChainTests {
  enum Link: CaseIterable {
    case oneWay, bothWays, fromBelow, required

    func connect(_ links: [ChainLink]) {
      for (first, second) in zip(links, links.dropFirst()) {
        switch self {
        case .oneWay: first.next = second
        case .bothWays: first.neighbor = second
        case .fromBelow: second.parent = first
        case .required: first.holder = ChainHolder(second)
        }
      }
    }
  }

  enum End: CaseIterable {
    case release, reset, delete
  }

  @Test(arguments: Link.allCases, End.allCases)
  func `are released without recursion`(link: Link, end: End) async throws {
    let container = try ModelContainer(for: ChainLink.self, ChainHolder.self, store: "memory:")
    await withCheckedContinuation { continuation in
      let thread = Thread {
        Self.run(link, end, container)
        continuation.resume()
      }
      thread.stackSize = 1 << 19
      thread.start()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<ChainLink>()) == 0)
  }

  private static func run(_ link: Link, _ end: End, _ container: ModelContainer) {
    let context = ModelContext(container)
    do {
      let links = (0..<30_000).map { _ in ChainLink() }
      for model in links { context.insert(model) }
      link.connect(links)
    }
    switch end {
    case .release: break
    case .reset: context.reset()
    case .delete:
      for model in context.insertedModelsArray {
        if let model = model as? ChainLink { context.delete(model) }
        if let model = model as? ChainHolder { context.delete(model) }
      }
      do { try context.save() } catch { Issue.record(error) }
    }
  }
}

@Model
final class ChainLink {
  @Relationship(inverse: nil) var next: ChainLink?
  @Relationship(inverse: \ChainLink.former) var neighbor: ChainLink?
  var former: ChainLink?
  var parent: ChainLink?
  @Relationship(inverse: \ChainLink.parent) var children: [ChainLink] = []
  @Relationship(inverse: nil) var holder: ChainHolder?

  init() {}
}

@Model
final class ChainHolder {
  @Relationship(inverse: nil) var link: ChainLink

  init(_ link: ChainLink) {
    self.link = link
  }
}
