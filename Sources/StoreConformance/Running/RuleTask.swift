import Foundation
import StoreProtocol

/// Rules to be tested by another process, which may end in one of them.
///
/// A program that can test a store starts itself with the ``argument``, creates the task and the same
/// run again, and calls ``perform(_:)``. ``ConformanceProgram`` does that.
public struct RuleTask: Sendable {
  /// The result of a rule, or the violation that keeps all rules from being tested.
  struct Trial: Codable {
    var violation: Violation?
    var seconds = 0.0
  }

  /// The parts of a ``RuleViolation``.
  struct Violation: Codable {
    let subject: String
    let expected: String
    let found: String
    let requests: [String]
  }

  /// A line of the file, in which the process writes what it does.
  private struct Line: Codable {
    var rules: [String]?
    var begun: String?
    var trial: Trial?
  }

  /// The name of the step that precedes all rules; see ``Basics``.
  static let beginning = "beginning"
  /// The exit status after a rule whose check never returned.
  static let statusWithoutEnd: Int32 = 75
  private static let prefix = "rules:"
  let file: URL

  /// The task as one argument of a command.
  public var argument: String { Self.prefix + file.path }

  /// Creates a task from the ``argument`` of another, or returns `nil` for other texts.
  public init?(argument: String) {
    guard argument.hasPrefix(Self.prefix) else { return nil }
    file = URL(filePath: String(argument.dropFirst(Self.prefix.count)))
  }

  init(_ rules: [String]) throws {
    file = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString)")
    try Data().write(to: file)
    try append(Line(rules: rules))
  }

  /// Tests the rules one after another, and writes the result of each to a file at once.
  ///
  /// The process ends after a rule whose check never returned.
  ///
  /// - Throws: The errors of the file.
  public func perform(_ run: ConformanceRun) throws {
    for rule in try lines().compactMap(\.rules).flatMap(\.self) {
      try append(Line(begun: rule))
      let clock = ContinuousClock()
      var violation: RuleViolation?
      let time = try clock.measure {
        violation = try rule == Self.beginning ? run.beginning() : run.violation(of: rule)
      }
      let trial = Trial(violation: violation.map(Violation.init), seconds: time.seconds)
      try append(Line(trial: trial))
      // Its thread may hold a lock of the store for ever.
      if violation?.isWithoutEnd == true { _exit(Self.statusWithoutEnd) }
    }
  }

  /// Returns the results of the rules in order, and the rule in which the process ended, or `nil` if
  /// it ended in none.
  func results() throws -> (trials: [(rule: String, trial: Trial)], unfinished: String?) {
    var trials: [(rule: String, trial: Trial)] = []
    var open: String?
    for line in try lines() {
      if let rule = line.begun { open = rule }
      guard let trial = line.trial, let rule = open else { continue }
      trials.append((rule, trial))
      open = nil
    }
    return (trials, open)
  }

  /// Removes the file.
  func end() { try? FileManager.default.removeItem(at: file) }

  /// Returns the lines of the file; one that the process did not finish is no line.
  private func lines() throws -> [Line] {
    let decoder = JSONDecoder()
    return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).compactMap {
      try? decoder.decode(Line.self, from: Data($0))
    }
  }

  private func append(_ line: Line) throws {
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    try handle.seekToEnd()
    try handle.write(contentsOf: JSONEncoder().encode(line) + Data("\n".utf8))
  }
}

extension RuleTask.Violation {
  fileprivate init(_ violation: RuleViolation) {
    self.init(
      subject: violation.subject,
      expected: violation.expected,
      found: violation.found,
      requests: violation.requests
    )
  }

  /// The violation of a rule.
  func violation(of rule: Rule?) -> RuleViolation {
    let violation = RuleViolation(subject, expected: expected, found: found).after(requests)
    return rule.map { violation.of($0, after: requests) } ?? violation
  }
}

extension Duration {
  /// The duration in seconds.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
