import ComposableStores
import OpenSwiftData
import StoreConformance
import StoreTestSupport
import Testing

@Suite struct `Composable stores keep the store contract` {
  static let logging = ConformanceRun(WrappedFixture { $0.logged { _ in } })
  static let counting = ConformanceRun(WrappedFixture { $0.counted() })
  static let faulty = ConformanceRun(WrappedFixture { $0.faulty(FaultPlan()) })
  static let readOnly = ConformanceRun(ReadOnlyFixture())
  static let stacked = ConformanceRun(
    WrappedFixture { $0.logged { _ in }.counted().faulty(FaultPlan()) }
  )

  /// Random rules and large sizes take the most time; only read-only and stacked stores run them,
  /// when sweeps are whole.
  static func isQuick(_ rule: Rule) -> Bool {
    !rule.id.hasPrefix("RANDOM") && !["LIMIT-008", "LIMIT-009", "LIMIT-010"].contains(rule.id)
  }

  @Test(arguments: try Sweep.part(logging.rules.filter(isQuick), of: 40))
  func `when logged`(_ rule: Rule) throws { try Self.logging.check(rule) }

  @Test(arguments: try Sweep.part(counting.rules.filter(isQuick), of: 40))
  func `when counted`(_ rule: Rule) throws { try Self.counting.check(rule) }

  @Test(arguments: try Sweep.part(faulty.rules.filter(isQuick), of: 40))
  func `with an empty fault plan`(_ rule: Rule) throws { try Self.faulty.check(rule) }

  @Test(arguments: try Sweep.part(readOnly.rules.filter { Sweep.isWhole || isQuick($0) }, of: 80))
  func `when read-only and filled by another handle`(_ rule: Rule) throws {
    try Self.readOnly.check(rule)
  }

  @Test(arguments: try Sweep.part(stacked.rules.filter { Sweep.isWhole || isQuick($0) }, of: 120))
  func `when stacked`(_ rule: Rule) throws { try Self.stacked.check(rule) }
}
