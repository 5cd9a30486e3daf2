import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Random sequences of bulk changes and other changes, which must have one result on every store,
/// whether or not the contexts have the objects in memory.
///
/// `OSD_BULK_SEQUENCES` sets the number of sequences, and ``Sweep/randomSeed`` is the first
/// seed.
@Suite struct `Every store makes the same bulk changes` {
  private static let sequences =
    ProcessInfo.processInfo.environment["OSD_BULK_SEQUENCES"].flatMap(Int.init)
    ?? Sweep.count(120, part: 20)
  private static let seed = Sweep.randomSeed

  @Test(arguments: [1, 2])
  func `in random sequences`(contexts: Int) throws {
    let trial = try HarborTrial(contexts: contexts)
    var findings = 0
    for number in 0..<Self.sequences where findings < 3 {
      let seed = Self.seed &* 1_000_003 &+ UInt64(number)
      var program = HarborProgram(seed: seed, contexts: contexts)
      let steps = program.steps()
      guard try trial.difference(steps) != nil else { continue }
      findings += 1
      let shrunk = try trial.shrunk(steps)
      Issue.record(
        """
        seed \(seed) (OSD_SEED=\(Self.seed)), \(contexts) contexts:
        \(shrunk.map(\.description).joined(separator: "\n"))
        \(try trial.difference(shrunk) ?? "")
        """
      )
    }
  }
}

/// Programs on each store, compared with the first.
private final class HarborTrial {
  private struct Contender {
    let name: String
    let container: ModelContainer
    /// The container of the second context, like another process, or `nil` for the same.
    var other: ModelContainer?
  }

  private var folders: [TemporaryFolder] = []
  private var contenders: [Contender] = []

  init(contexts: Int) throws {
    for store in HarborStore.available {
      let folder = try TemporaryFolder()
      folders.append(folder)
      let container = try store.open(in: folder)
      contenders.append(Contender(name: store.rawValue, container: container))
      guard contexts > 1, store.isShared else { continue }
      contenders.append(
        Contender(
          name: "\(store), two containers",
          container: container,
          other: try store.open(in: folder)
        )
      )
    }
  }

  /// Returns a smaller program that still has a difference.
  func shrunk(_ steps: [HarborStep]) throws -> [HarborStep] {
    var steps = steps
    var index = steps.count - 1
    while index >= 0 {
      var fewer = steps
      fewer.remove(at: index)
      if try difference(fewer) != nil { steps = fewer }
      index = min(index, steps.count) - 1
    }
    return steps
  }

  /// Returns the first difference between the stores.
  func difference(_ steps: [HarborStep]) throws -> String? {
    var expected: [String]?
    for contender in contenders {
      for isRegistered in [false, true] {
        let run = try HarborRun(
          contender.container,
          contender.other,
          isRegistered: isRegistered
        )
        let found = try steps.map { try run.perform($0) }
        guard let first = expected else {
          expected = found
          continue
        }
        guard let index = steps.indices.first(where: { first[$0] != found[$0] }) else { continue }
        return """
          after \(steps[index]), \(contender.name)\(isRegistered ? " with objects" : "") has
          \(found[index])
          instead of
          \(first[index])
          """
      }
    }
    return nil
  }
}
