/// What is measured: one task that several contenders carry out.
struct Workload {
  /// What a contender is to the comparison.
  enum Role: String, Codable {
    /// The least that the task can cost; ratios are taken to it.
    case control
    /// This project.
    case engine
    /// Another library.
    case peer
    /// What the engine promises and nothing else, by hand: no engine with these promises costs less.
    case limit
  }

  /// The time that a target speaks of.
  enum Clock: String, Codable {
    case cpu, wall
  }

  /// The highest ratio to the control that is good enough.
  struct Target {
    let ratio: Double
    var clock = Clock.cpu
    /// The contender that it is about.
    var contender = Contender.engineName
  }

  /// Somebody who carries out the task.
  struct Contender {
    static let engineName = "OpenSwiftData"
    static let limitName = "by hand, same guarantees"

    let name: String
    let role: Role
    /// Carries out the task once, and says what came of it in a number that is the same for all.
    ///
    /// What the stopwatch does not surround is preparation and proof.
    let run: (Stopwatch) throws -> UInt64

    static func control(
      _ name: String,
      _ run: @escaping (Stopwatch) throws -> UInt64
    ) -> Contender {
      Contender(name: name, role: .control, run: run)
    }

    static func engine(
      _ name: String = engineName,
      _ run: @escaping (Stopwatch) throws -> UInt64
    ) -> Contender {
      Contender(name: name, role: .engine, run: run)
    }

    static func peer(
      _ name: String,
      _ run: @escaping (Stopwatch) throws -> UInt64
    ) -> Contender {
      Contender(name: name, role: .peer, run: run)
    }

    static func limit(_ run: @escaping (Stopwatch) throws -> UInt64) -> Contender {
      Contender(name: limitName, role: .limit, run: run)
    }
  }

  /// What is done, as a title.
  let title: String
  /// What the costs are given for: "row".
  let unit: String
  /// How many units one run has.
  let count: Int
  var targets: [Target] = []
  /// The result that every contender must have.
  let expected: UInt64
  /// The control first.
  let contenders: [Contender]
}

/// A reason for which the benchmark cannot go on.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
