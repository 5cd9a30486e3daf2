import Foundation
import OpenSwiftData
import StoreConformance
import StoreTestSupport
import Testing

@testable import StoreConformance

@Suite struct `The suite completes on unfinished stores` {
  private func run(_ stub: Stub, patience: Duration = .seconds(120)) -> ConformanceRun {
    ConformanceRun(
      AlteredFixture(Fixtures.Memory(), stub.make),
      settings: ConformanceSettings(patience: patience)
    )
  }

  @Test(arguments: Sweep.part(Stub.all, of: 3))
  func `with a report that names the missing part, without a crash`(_ stub: Stub) throws {
    let report = try run(stub).report { !$0.id.hasPrefix("LIMIT-0") && $0.isFirstOfItsKind }
    #expect(!report.isConforming)
    let isNamed = report.start != nil || report.failures.contains { $0.rule.id == stub.rule }
    #expect(isNamed, "\(report.text)")
  }

  @Test(arguments: Stub.hanging)
  func `with a report that names a call that never returns`(_ stub: Stub) throws {
    let rules = ["LIFE-001", "LIFE-006", "IDENT-001", "REL-002"]
    let report = try run(stub, patience: .milliseconds(400)).report { rules.contains($0.id) }
    let violations = [report.start].compactMap(\.self) + report.failures.compactMap(\.violation)
    #expect(violations.contains { $0.expected == "to return" }, "\(report.text)")
  }

  @Test func `a check that sent many rows waits longer for each request`() {
    #expect(Watchdog.limit(.seconds(120), rows: 0) == .seconds(120))
    #expect(Watchdog.limit(.seconds(120), rows: 9_999) == .seconds(120))
    #expect(Watchdog.limit(.seconds(120), rows: 66_000) == .seconds(720))
    let trace = Trace()
    let batch = StoreChanges(deleted: Array(repeating: Self.identifier, count: 20_000))
    for _ in 0..<100_000 { trace.count(batch) }
    #expect(trace.rows == 2_000_000_000)
    // Longer than a millisecond, and shorter than 200 seconds.
    let error = Watchdog.run(patience: .milliseconds(1), trace: trace) {
      var sum = 0
      for number in 0..<2_000_000 { sum &+= number }
      guard sum > 0 else { throw CancellationError() }
    }
    #expect(error == nil)
  }

  private static let identifier = PersistentIdentifier(
    scope: PersistentIdentifier.Scope(storeIdentifier: nil, entityName: "Passport"),
    key: .integer(1)
  )

  @Test func `a store that does nothing gets a short report with the first step`() throws {
    let stub = try #require(Stub.all.first)
    let report = try run(stub).report()
    #expect(report.failures.isEmpty && !report.isConforming)
    #expect(report.text.contains("Start with this step"))
    #expect(report.text.contains("saving one new row"))
    #expect(report.text.split(separator: "\n").count < 20)
    #expect(report.junit.contains("<failure"))
    #expect(try report.json().contains("saving one new row"))
    #expect(report.markdown.contains("Start with this step"))
  }

  private static let rulesOfMembers = ["ATOM-003", "LIMIT-010", "REL-002", "REL-012"]

  @Test func `a failure reports the request that was sent and the rule's reason`() throws {
    let stub = try #require(Stub.all.first { $0.name == "throws when members are asked for" })
    let report = try run(stub).report { Self.rulesOfMembers.contains($0.id) }
    #expect(report.text.contains("failures: Unfinished() instead of no error"))
    #expect(report.text.contains("sent:     members of Person.pets"))
    #expect(report.text.contains("why:      If only one side stores it"))
  }

  @Test func `a cause of many failures is reported once before them`() throws {
    let stub = try #require(Stub.all.first { $0.name == "throws when members are asked for" })
    let report = try run(stub).report { Self.rulesOfMembers.contains($0.id) }
    let lines = report.text.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("one cause of ") } == 1)
    let common = try #require(lines.firstIndex { $0.hasPrefix("one cause of ") })
    #expect(common < lines.firstIndex { $0.hasPrefix("failed: ") } ?? 0)
    let ids = lines[common + 1].split(separator: ", ").map { $0.drop { $0 == " " } }
    let failures = report.failures.filter { $0.violation?.found.contains("Unfinished()") == true }
    #expect(failures.count > 3 && ids.map(String.init) == failures.map(\.rule.id))
    let cause = "Unfinished() instead of no error"
    #expect(lines[common] == "one cause of \(failures.count) failures: \(cause)")
  }
}
