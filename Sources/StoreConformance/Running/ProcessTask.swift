import Foundation
import StoreProtocol

/// The work of another process in a rule about processes.
///
/// A fixture with ``FixtureHook/processes`` starts a program with the ``argument``. The program
/// opens the location, calls ``run(on:)``, and returns the result, for example on its standard
/// output.
public struct ProcessTask: Sendable {
  let seed: UInt64
  let rounds: Int

  /// The task as one argument of a command.
  public var argument: String { "\(seed)-\(rounds)" }

  /// Reads from and saves to the store that the suite opened in the other process.
  ///
  /// - Returns: A record of all requests, for the fixture to return.
  /// - Throws: The store's errors.
  public func run(on store: any RecordStore) throws -> String {
    let log = ConcurrentLog(isOfProcesses: true)
    let world = try ConcurrentWorker.World(in: store)
    var worker = ConcurrentWorker(store, world, log, RandomSource(seed: seed), saves: true)
    for _ in 0..<rounds { try worker.step() }
    return String(decoding: try JSONEncoder().encode(log.operations), as: UTF8.self)
  }

  static func operations(in record: String) throws -> [ConcurrentHistory.Operation] {
    do {
      return try JSONDecoder().decode([ConcurrentHistory.Operation].self, from: Data(record.utf8))
    } catch {
      throw RuleViolation(
        "the result of the other process",
        expected: "what ProcessTask.run(on:) returned",
        found: "'\(record.prefix(200))'"
      )
    }
  }
}

extension ProcessTask {
  /// Creates a task from the ``argument`` of another.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` if the text is not the argument of a task.
  public init(argument: String) throws {
    let numbers = argument.split(separator: "-", omittingEmptySubsequences: false)
    guard numbers.count == 2, let seed = UInt64(numbers[0]), let rounds = Int(numbers[1]) else {
      throw DataStoreError(
        .invalidConfiguration,
        "'\(argument)' is no task of the conformance suite. Pass the argument of a ProcessTask"
      )
    }
    self.init(seed: seed, rounds: rounds)
  }
}
