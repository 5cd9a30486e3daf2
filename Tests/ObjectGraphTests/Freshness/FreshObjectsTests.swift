import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Random programs of several contexts, whose objects are compared with those of a new context
/// after each fetch and each save.
///
/// A failure prints a test to paste into `FreshObjectsRegressionTests`. `OSD_FARM_STEPS` sets the
/// number of steps on each store, which follow from ``Sweep/randomSeed``.
@Suite(.timeLimit(.minutes(180)))
struct `A clean object shows what a new context would show` {
  private static let stepsInProgram = 100

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init)
  }

  private static let steps = number("OSD_FARM_STEPS") ?? Sweep.count(9_000, part: 2_000)
  private static let seed = Sweep.randomSeed

  @Test(arguments: FarmStore.available)
  func `through random programs`(store: FarmStore) throws {
    let site = try FarmSite(store)
    let programs = (Self.steps + Self.stepsInProgram - 1) / Self.stepsInProgram
    var findings: [String] = []
    for program in 0..<programs where findings.count < 3 {
      let seed = Self.seed &* 1_000_003 &+ UInt64(program)
      let steps = FarmStep.program(of: Self.stepsInProgram, seed: seed)
      // Every other program with values, without which nothing is reverted.
      site.history = HistoryOptions([.values, .on, .values, .off][program % 4])
      if let finding = FarmTrial(site).finding(steps) {
        findings.append(
          "\(store), history \(site.history.content), seed \(seed) (OSD_SEED=\(Self.seed)): "
            + finding
        )
      }
    }
    for finding in findings { Issue.record("\(finding)") }
    if programs > 1_000 { print("\(store): \(programs * Self.stepsInProgram) steps") }
  }
}

/// Runs of programs at one place.
struct FarmTrial {
  /// Opens an empty store.
  private let open: () throws -> FarmWorld

  init(_ site: FarmSite) {
    self.init { try FarmWorld(site) }
  }

  init(_ open: @escaping () throws -> FarmWorld) {
    self.open = open
  }

  /// What the first difference in a program is, or nil.
  func difference(_ steps: [FarmStep]) -> String? {
    var position = 0
    do {
      let world = try open()
      for (index, step) in steps.enumerated() {
        position = index
        try world.perform(step)
      }
      position = steps.count
      try world.finish()
      return nil
    } catch {
      let step = steps.indices.contains(position) ? steps[position].source : "the end"
      return "at \(step) (\(position)): \(error)"
    }
  }

  /// The first difference in a program, which is made as short as possible, with a test to paste.
  func finding(_ steps: [FarmStep]) -> String? {
    guard difference(steps) != nil else { return nil }
    let shrunk = StepShrinker(simpler: \.simpler) { difference($0) != nil }.shrunk(steps)
    guard let difference = difference(shrunk) else { return nil }
    return "\(difference)\n\n    [\n"
      + shrunk.map { "      \($0.source),\n" }.joined() + "    ]\n"
  }
}
