import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Several processes at once delete objects and relate others to them.
///
/// Their steps follow from ``Sweep/randomSeed``.
@Suite struct `Concurrent deletions of several processes` {
  private static let seed = Sweep.randomSeed

  @Test(arguments: [EveryStore.sqlite, .postgreSQL].filter(EveryStore.withServer.contains))
  func `leave no object without one that it requires`(store: EveryStore) async throws {
    let folder = try TemporaryFolder()
    let url = store.url(in: folder)
    let container = try ModelContainer(for: HarborKind.schema, store: url)
    let context = ModelContext(container)
    for number in 1...4 { context.insert(Quay(number)) }
    try context.save()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<UInt64(4) {
        group.addTask {
          let seed = Self.seed &* 1_000_003 &+ number
          await #expect(processExitsWith: .success) {
            [url = url as String, seed = seed as UInt64] in
            var crowd = try HarborCrowd(url, seed: seed)
            try crowd.work()
          }
        }
      }
    }
    let reader = ModelContext(try ModelContainer(for: HarborKind.schema, store: url))
    let stored = Set(try reader.fetch(FetchDescriptor<Quay>()).map(\.persistentModelID))
    let wardens = try reader.fetch(FetchDescriptor<Warden>())
    #expect(
      wardens.allSatisfy { stored.contains($0.quay.persistentModelID) },
      "OSD_SEED=\(Self.seed)"
    )
    let moorings = try reader.fetch(FetchDescriptor<Mooring>())
    #expect(
      moorings.allSatisfy { stored.contains($0.quay.persistentModelID) },
      "OSD_SEED=\(Self.seed)"
    )
    for case let store as any MaintainableStore in reader.container.stores {
      #expect(try store.verify() == [], "OSD_SEED=\(Self.seed)")
    }
  }
}

/// One of several processes that change a harbor at random.
private struct HarborCrowd {
  private let context: ModelContext
  private var random: SeededGenerator

  init(_ url: String, seed: UInt64) throws {
    context = ModelContext(try ModelContainer(for: HarborKind.schema, store: url))
    random = SeededGenerator(seed: seed)
  }

  mutating func work() throws {
    for number in 0..<60 {
      try change(number)
      do { try context.save() } catch {
        // A rule, or what others have saved, forbids the change.
        context.rollback()
      }
    }
  }

  private mutating func change(_ number: Int) throws {
    let quays = try context.fetch(FetchDescriptor<Quay>())
    guard let quay = quays.randomElement(using: &random) else {
      return context.insert(Quay(number))
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: context.insert(Quay(number))
    case 2: context.insert(Warden(number, quay))
    case 3: context.insert(Mooring(number, quay))
    case 4: context.insert(Permit(number, quay))
    case 5: context.insert(Bale(number, quay))
    case 6:
      for warden in try context.fetch(FetchDescriptor<Warden>()) where warden.quay === quay {
        context.delete(warden)
      }
      for mooring in try context.fetch(FetchDescriptor<Mooring>()) where mooring.quay === quay {
        context.delete(mooring)
      }
      for permit in try context.fetch(FetchDescriptor<Permit>()) where permit.quay === quay {
        context.delete(permit)
      }
      context.delete(quay)
    default: context.delete(quay)
    }
  }
}
