import Testing

@testable import StoreConformance

@Suite struct `Histories of threads are checked` {
  private typealias Operation = ConcurrentHistory.Operation

  private func saved(_ begin: Int, _ end: Int, _ value: Int64, version: Int64) -> Operation {
    Operation(begin: begin, end: end, outcome: .saved(value, version: version))
  }

  private func read(_ begin: Int, _ end: Int, _ values: Int64...) -> Operation {
    Operation(begin: begin, end: end, outcome: .registers(values))
  }

  private func animals(_ begin: Int, _ end: Int, from: Int64 = 0, _ names: Int64...) -> Operation {
    Operation(begin: begin, end: end, outcome: .animals(names, from: from))
  }

  private func count(_ begin: Int, _ end: Int, _ count: Int) -> Operation {
    Operation(begin: begin, end: end, outcome: .count(count))
  }

  private func anomaly(_ operations: [Operation], hasVersions: Bool = true) throws -> String {
    let history = ConcurrentHistory(operations: operations)
    let violation = try #require(throws: RuleViolation.self) {
      try history.check(hasVersions: hasVersions)
    }
    return String(violation.subject.prefix { $0 != ":" })
  }

  @Test func `a history that an order of saves explains is accepted`() throws {
    let history = ConcurrentHistory(operations: [
      read(1, 2, 0, 0), animals(3, 4), count(3, 5, 0), saved(6, 10, 1, version: 7),
      read(7, 8, 0, 0), read(7, 9, 1, 1), animals(11, 12, 1, 1), saved(13, 14, 2, version: 9),
      saved(15, 16, 3, version: 10), saved(17, 20, 4, version: 11), count(18, 19, 6),
      animals(21, 22, 2, 2, 3, 3, 4, 4), animals(21, 23, from: 4, 4, 4), read(24, 25, 4, 4),
    ])
    try history.check(hasVersions: true)
    try history.check(hasVersions: false)
  }

  @Test func `a lost update is detected`() throws {
    let twice = [saved(1, 4, 1, version: 7), saved(2, 3, 1, version: 8)]
    #expect(try anomaly(twice) == "lost update")
    #expect(try anomaly(twice, hasVersions: false) == "lost update")
    let backwards = [saved(1, 2, 1, version: 8), saved(3, 4, 2, version: 7)]
    #expect(try anomaly(backwards) == "lost update")
  }

  @Test func `a dirty read is detected`() throws {
    #expect(try anomaly([read(1, 2, -1, -1)]) == "dirty")
    #expect(try anomaly([animals(1, 2, -1, -1)]) == "dirty")
    #expect(try anomaly([read(1, 2, 1, 1), saved(3, 4, 1, version: 1)]) == "dirty")
  }

  @Test func `a torn read is detected`() throws {
    let save = saved(1, 4, 1, version: 1)
    #expect(try anomaly([save, read(2, 3, 0, 1)]) == "torn")
    #expect(try anomaly([save, count(2, 3, 1)]) == "torn")
    #expect(try anomaly([save, count(2, 3, 8)]) == "torn")
  }

  @Test func `a phantom is detected`() throws {
    let saves = (Int64(1)...4).map { saved(Int($0), 10, $0, version: $0) }
    #expect(try anomaly(saves + [animals(5, 6, 1, 1, 2)]) == "phantom")
    #expect(try anomaly(saves + [animals(5, 6, 1, 1, 2, 2, 3, 3, 4, 4)]) == "phantom")
    #expect(try anomaly(saves + [animals(5, 6, 3, 3, 4, 4)]) == "phantom")
    #expect(try anomaly(saves + [animals(5, 6, from: 3, 4, 4)]) == "phantom")
  }

  @Test func `a stale read is detected`() throws {
    let save = saved(1, 2, 1, version: 1)
    #expect(try anomaly([save, read(3, 4, 0, 0)]) == "stale")
    #expect(try anomaly([save, animals(3, 4)]) == "stale")
    #expect(try anomaly([save, count(3, 4, 0)]) == "stale")
  }

  @Test func `a read of an earlier state than the preceding read is detected`() throws {
    let save = saved(1, 10, 1, version: 1)
    #expect(try anomaly([save, read(2, 3, 1, 1), read(4, 5, 0, 0)]) == "going back")
    #expect(try anomaly([save, read(2, 3, 1, 1), animals(4, 5, from: 1)]) == "going back")
  }
}
