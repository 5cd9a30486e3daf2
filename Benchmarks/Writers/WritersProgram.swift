import Foundation

/// The program `writers`: durable saves a second of many writers, in one run for all stores.
///
/// Each writer is a task that saves one new object after the other, as a server does for its clients.
/// A line for each measurement: the store, the number of writers, their saves, and the seconds.
/// `Scripts/test-load --writers` runs it.
@main
enum WritersProgram {
  private static let usage = "writers FOLDER SECONDS ROUNDS"
  /// The numbers of writers.
  private static let counts = [1, 4, 16, 64]
  /// The number of saves before the first measurement.
  private static let first = 50

  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count == 3, let seconds = Double(words[1]), let rounds = Int(words[2]) else {
      try FileHandle.standardError.write(contentsOf: Data((usage + "\n").utf8))
      exit(64)
    }
    for round in 1...max(1, rounds) {
      // Each round has new stores, so that none grows with the number of rounds.
      for target in try targets(in: words[0], round) {
        for number in 0..<first { try await target.save(-number) }
        var saved = first
        for count in counts {
          let (saves, elapsed) = try await run(count, on: target, for: .seconds(seconds))
          saved += saves
          print(target.name, count, saves, elapsed)
        }
        let stored = try target.count()
        guard stored == saved else {
          throw WrongCount(description: "\(target.name) has \(stored) of \(saved) saves")
        }
      }
    }
  }

  private static func targets(in folder: String, _ round: Int) throws -> [any WriterTarget] {
    let path = "\(folder)/\(round)"
    var targets: [any WriterTarget] = [
      try PoolTarget("\(path)-pool.db"),
      try StoreTarget("SQLite", "sqlite:\(path).db"),
      try StoreTarget("JSON", "json:\(path).json"),
    ]
    if let server = ProcessInfo.processInfo.environment["POSTGRES_URL"] {
      let separator = server.contains("?") ? "&" : "?"
      targets.append(
        try StoreTarget("PostgreSQL", "\(server)\(separator)schema=writers\(round)")
      )
    }
    return targets
  }

  /// Lets writers save for some time; returns the number of saves and the seconds that they took.
  private static func run(
    _ count: Int,
    on target: any WriterTarget,
    for duration: Duration
  ) async throws -> (saves: Int, seconds: Double) {
    let begin = ContinuousClock.now
    let end = begin + duration
    let saves = try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<count {
        group.addTask {
          var saves = 0
          while ContinuousClock.now < end {
            try await target.save(saves * count + writer)
            saves += 1
          }
          return saves
        }
      }
      return try await group.reduce(0, +)
    }
    return (saves, (ContinuousClock.now - begin) / .seconds(1))
  }

  private struct WrongCount: Error, CustomStringConvertible { let description: String }
}
