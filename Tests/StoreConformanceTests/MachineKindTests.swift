import Foundation
import OpenSwiftData
import Testing

@testable import StoreConformance

@Suite("The machine finds each kind of mistake") struct MachineKindTests {
  /// A mistake of each kind that rules about one thing do not find, by the names of saboteurs.
  private static let kinds = [
    "reads rows of the second entity from the state of now",
    "finds transactions by the entity of their first change",
    "returns the save before a position in the history",
    "lowers the next key to that of a batch without new rows",
    "keeps the unique values of batches that threw",
    "merges no values that the second of three levels adds",
    "tells of no subentities that a bulk change updated",
    "shows no lists of the third level by the name of the second",
    "keeps a closed range for a later half-open one",
    "compares strings that a producer wrote by their bytes",
    "reads a member named $double as a number after reopening",
    "takes empty strings in single rows for nil",
    "reports the last of several saves of its own",
  ]

  // The first seed is that of the saboteurs' own test; Scripts/check-suite tests more.
  private static let seeds = ProcessInfo.processInfo.environment["OPENSWIFTDATA_KIND_SEEDS"]
    .flatMap(UInt64.init)

  @Test(.enabled(if: seeds != nil), arguments: kinds)
  func `within the short budget, with 19 of 20 seeds`(_ kind: String) throws {
    let saboteur = try #require(Saboteur.all.first { $0.name == kind })
    let seeds = try #require(Self.seeds)
    let missed = try (1...seeds).filter { try !saboteur.isFoundByMachine(run: $0) }
    print("kind found with \(seeds - UInt64(missed.count)) of \(seeds) seeds: \(kind)")
    #expect(UInt64(missed.count) * 20 <= seeds, "missed with the seeds \(missed)")
  }

  @Test func `and the suite's own seed finds them`() {
    let names = Saboteur.all.filter { $0.rule.hasPrefix("RANDOM") }.map(\.name)
    #expect(Set(Self.kinds).isSubset(of: names))
  }
}
