import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// The random programs of ``FarmStep`` by two processes, each of which has every other context.
///
/// `OSD_FARM_STEPS` sets the number of steps on each store, which follow from ``Sweep/randomSeed``.
@Suite(.timeLimit(.minutes(180)))
struct `A clean object shows what another process saved` {
  private static let stepsInProgram = 100

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init)
  }

  private static let steps = number("OSD_FARM_STEPS") ?? Sweep.count(3_000, part: 1_000)
  private static let seed = Sweep.randomSeed

  @Test(arguments: [FarmStore.sqlite, .postgres].filter { FarmStore.available.contains($0) })
  func `through random programs of two processes`(store: FarmStore) async throws {
    let folder = try TemporaryFolder()
    try FarmChannel.make(in: folder)
    let path = folder.url.path
    async let end: Void = runPartner(path)
    // A thread of its own, since the pool of tasks starts the process.
    let findings = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<[String], any Error>) in
      Thread.detachNewThread {
        continuation.resume(with: Result { try Self.findings(store, path) })
      }
    }
    for finding in findings { Issue.record("\(finding)") }
    await end
  }

  private func runPartner(_ path: String) async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      try FarmPartner.take(from: path)
    }
    // If it has ended too early, the test must not wait for it.
    try? FarmChannel(path, isStarted: true).send("it has ended")
  }

  private static func findings(_ store: FarmStore, _ path: String) throws -> [String] {
    let partner = try FarmPartner(path)
    defer { partner.leave() }
    let pair = try FarmPair(store, with: partner)
    let programs = (steps + stepsInProgram - 1) / stepsInProgram
    var findings: [String] = []
    for program in 0..<programs where findings.count < 3 {
      let seed = seed &* 1_000_003 &+ UInt64(program)
      let steps = FarmStep.program(of: stepsInProgram, seed: seed)
      if let finding = FarmTrial({ try pair.open() }).finding(steps) {
        findings.append(
          "\(store) of two processes, seed \(seed) (OSD_SEED=\(Self.seed)): \(finding)"
        )
      }
    }
    return findings
  }
}
