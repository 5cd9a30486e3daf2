import Foundation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreConformance

@Suite struct `The suite finds stores that break one thing each` {
  /// The seed of random rules: the suite's own, unless `OPENSWIFTDATA_RUN` is set to try another.
  private static let run =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RUN"].flatMap(UInt64.init) ?? 0

  /// Returns whether the saboteur's rule detects it.
  private func verdict(of saboteur: Saboteur) throws -> (isCaught: Bool, line: String) {
    let rule = try #require(Rule.all.first { $0.id == saboteur.rule }, "\(saboteur.rule)")
    let start = ContinuousClock.now
    let isCaught = catches(rule, saboteur)
    let time = (ContinuousClock.now - start).formatted(.units(allowed: [.milliseconds]))
    let word = isCaught ? "caught" : "MISSED"
    return (isCaught, "\(word) by \(saboteur.rule) in \(time): \(saboteur.name)")
  }

  /// Returns the verdicts on all saboteurs, with one task for each processor.
  private func verdicts() async throws -> [(isCaught: Bool, line: String)] {
    let queue = SaboteurQueue()
    return try await withThrowingTaskGroup(of: [(isCaught: Bool, line: String)].self) { group in
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
        group.addTask {
          var own: [(isCaught: Bool, line: String)] = []
          while let saboteur = queue.next() { own.append(try verdict(of: saboteur)) }
          return own
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  private func catches(_ rule: Rule, _ saboteur: Saboteur) -> Bool {
    do {
      // The search for the smallest case would take most of the time.
      if saboteur.isOfMachine { return try saboteur.isFoundByMachine(run: Self.run) }
      try saboteur.check(rule, run: Self.run)
      return false
    } catch let violation as RuleViolation {
      return violation.rule?.id == rule.id
    } catch {
      return false
    }
  }

  // `Scripts/check-suite` shows what this prints.
  @Test func `each is caught by its rule`() async throws {
    let verdicts = try await verdicts()
    let caught = verdicts.count(where: \.isCaught)
    for verdict in verdicts { print("saboteur", verdict.line) }
    print("mutation score: \(caught) of \(verdicts.count), \(100 * caught / verdicts.count) %")
    let missed = verdicts.filter { !$0.isCaught }.map(\.line)
    #expect(missed.isEmpty, "\(missed.joined(separator: "\n"))")
    #expect(verdicts.count >= 200 && Saboteur.all.count >= 300)
  }

  // A part of them is tried in most runs.
  @Test func `each names a rule`() {
    #expect(Set(Saboteur.all.map(\.rule)).subtracting(Rule.all.map(\.id)).isEmpty)
  }

  @Test func `each has a unique name`() {
    #expect(Set(Saboteur.all.map(\.name)).count == Saboteur.all.count)
  }
}

/// The saboteurs that no task has taken yet: some take a thousand times as long as others.
private final class SaboteurQueue: Sendable {
  private let taken = Atomic(0)
  private let saboteurs = Sweep.part(Saboteur.all, of: 200)

  func next() -> Saboteur? {
    let index = taken.add(1, ordering: .relaxed).oldValue
    return index < saboteurs.count ? saboteurs[index] : nil
  }
}
