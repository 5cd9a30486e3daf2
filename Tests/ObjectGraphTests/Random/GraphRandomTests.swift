import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Random operations on graphs of objects, compared with a plain oracle.
///
/// A failure prints a test to paste into `GraphRegressionTests`. `Scripts/fuzz-graphs` runs many
/// more operations.
@Suite struct `Every store keeps a graph as the oracle does` {
  private static let stepsInRun = 120

  /// The number of operations on each store; `OSD_OPERATIONS` sets it.
  private static let operations =
    ProcessInfo.processInfo.environment["OSD_OPERATIONS"].flatMap(Int.init)
    ?? Sweep.count(10_200, part: 2_400)
  /// The seed of the operations.
  private static let seed = Sweep.randomSeed

  @Test(arguments: EveryStore.withTextKeys)
  func `through random operations`(store: EveryStore) {
    let runs = (Self.operations + Self.stepsInRun - 1) / Self.stepsInRun
    var findings: [Finding] = []
    for run in 0..<runs where findings.count < 2 {
      let seed = Self.seed &* 1_000_003 &+ UInt64(run)
      if let finding = finding(store, seed) { findings.append(finding) }
    }
    for finding in findings { Issue.record("\(finding)") }
    if runs > 1_000 { print("\(store): \(runs * Self.stepsInRun) operations") }
  }

  private func finding(_ store: EveryStore, _ seed: UInt64) -> Finding? {
    var maker = StepMaker(seed: seed)
    let steps = maker.steps(Self.stepsInRun)
    let trial = Trial(store)
    guard trial.difference(steps) != nil else { return nil }
    let shrunk = StepShrinker(simpler: \.simpler) { trial.difference($0) != nil }.shrunk(steps)
    guard let difference = trial.difference(shrunk) else { return nil }
    return Finding(store: store, seed: seed, steps: shrunk, difference: difference)
  }
}
