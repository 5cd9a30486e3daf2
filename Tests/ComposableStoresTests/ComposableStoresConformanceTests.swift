import ComposableStores
import OpenSwiftData
import StoreConformance
import Testing

@Suite struct `Composable stores keep the store contract` {
  static let logging = ConformanceRun(WrappedFixture { $0.logged { _ in } })
  static let counting = ConformanceRun(WrappedFixture { $0.counted() })
  static let faulty = ConformanceRun(WrappedFixture { $0.faulty(FaultPlan()) })
  static let caching = ConformanceRun(WrappedFixture { $0.cached() })
  static let forgetful = ConformanceRun(WrappedFixture { $0.cached(maximumRows: 3) })
  static let cachingFiles = ConformanceRun(CachedFileFixture())
  static let readOnly = ConformanceRun(ReadOnlyFixture())
  static let stacked = ConformanceRun(
    WrappedFixture { $0.logged { _ in }.counted().cached().faulty(FaultPlan()) }
  )
  static let overlay = ConformanceRun(
    OverlayFixture(),
    knownFailures: [
      "IDENT-003": "keys of edits begin above those that a later version of the base may have"
    ]
  )

  /// Random rules and large sizes take the most time; only stacked stores run them.
  static func isQuick(_ rule: Rule) -> Bool {
    !rule.id.hasPrefix("RANDOM") && !["LIMIT-008", "LIMIT-009", "LIMIT-010"].contains(rule.id)
  }

  @Test(arguments: try logging.rules.filter(isQuick))
  func `when logged`(_ rule: Rule) throws { try Self.logging.check(rule) }

  @Test(arguments: try counting.rules.filter(isQuick))
  func `when counted`(_ rule: Rule) throws { try Self.counting.check(rule) }

  @Test(arguments: try faulty.rules.filter(isQuick))
  func `with an empty fault plan`(_ rule: Rule) throws { try Self.faulty.check(rule) }

  @Test(arguments: try caching.rules.filter(isQuick))
  func `when cached`(_ rule: Rule) throws { try Self.caching.check(rule) }

  @Test(arguments: try forgetful.rules.filter(isQuick))
  func `when cached with a limit of three rows`(_ rule: Rule) throws {
    try Self.forgetful.check(rule)
  }

  @Test(arguments: try cachingFiles.rules)
  func `when caching a file that other handles write`(_ rule: Rule) throws {
    try Self.cachingFiles.check(rule)
  }

  @Test(arguments: try readOnly.rules)
  func `when read-only and filled by another handle`(_ rule: Rule) throws {
    try Self.readOnly.check(rule)
  }

  @Test(arguments: try stacked.rules)
  func `when stacked`(_ rule: Rule) throws { try Self.stacked.check(rule) }

  @Test(arguments: try overlay.rules)
  func `when overlaid on an empty base`(_ rule: Rule) throws { try Self.overlay.check(rule) }

  // The edits outlive a store but not the process, so these rules apply too.
  @Test(
    arguments: Rule.all.filter { rule in
      rule.needs.contains(.durability) && !rule.needs.contains(.migration)
        && !rule.needs.contains(.history)
        && !rule.needs.contains(.lacking(.migration)) && rule.hooks.isEmpty
    }
  )
  func `when an overlay is opened again`(_ rule: Rule) throws { try rule.check(OverlayFixture()) }
}
