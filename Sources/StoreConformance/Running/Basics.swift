import StoreProtocol

/// The minimum that a store must support before any rule can be tested: the start for an author.
enum Basics {
  /// Runs one step after the other.
  ///
  /// - Returns: The first step that fails, or `nil` if all succeed.
  static func failure(
    of store: String,
    patience: Duration,
    _ makeBench: @escaping @Sendable (Trace) throws -> StoreBench
  ) -> RuleViolation? {
    let trace = Trace()
    let step = Shared("creating a location with `makeLocation()`")
    let error = Watchdog.run(patience: patience, trace: trace) {
      let bench = try makeBench(trace)
      defer { bench.destroy() }
      step.withLock { $0 = "opening a new store with the suite's schema" }
      _ = try bench.store
      step.withLock { $0 = "saving one new row and fetching it" }
      try saveOneRow(bench)
    }
    guard let error else { return nil }
    let violation = RuleViolation.wrapping(error, as: "the store works")
    return violation.within(step.value).after(trace.lines)
  }

  private static func saveOneRow(_ bench: StoreBench) throws {
    let record = try Sample.record("Passport", ["name": .string("first")])
    let row = try bench.save(inserting: [record]).identifier(of: record)
    try expect("the identifier in `remapped`", !row.isTemporary, "a permanent one")
    let found = try bench.store.fetch(StoreQuery(entity: "Passport"))
    try expect("the rows", found.map(\.persistentIdentifier), equals: [row])
    try expect("the value of name", found.first?["name"], equals: .string("first"))
  }
}
