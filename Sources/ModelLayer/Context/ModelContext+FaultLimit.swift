extension ModelContext {
  /// The number of queries that loading on access has caused since the context was created.
  ///
  /// Queries of fetches, and of what they prefetch, do not count.
  public var faultCount: Int { state.loader.faults.count }

  /// The limit of queries that loading on access may cause; `nil`, the default, for any number.
  ///
  /// Setting a limit restarts its count from zero. A limit that throws does so in the context's
  /// next fetch or save, before it does anything, and then counts from zero again.
  public var faultLimit: FaultLimit? {
    get { state.loader.faults.limit?.limit }
    set { state.loader.faults.limit = newValue.map { FaultBudget($0) } }
  }

  /// Runs a closure in which loading on access may cause a limited number of queries.
  ///
  /// ```swift
  /// try context.withFaultLimit(2) {
  ///   for trip in trips { total += trip.items.count }
  /// }
  /// ```
  ///
  /// Queries within nested scopes count for all of them, and for ``faultLimit``.
  ///
  /// - Parameters:
  ///   - limit: The number of queries, and the response beyond it.
  ///   - fileID: The file of the scope, for the error; omit it.
  ///   - line: The line of the scope, for the error; omit it.
  ///   - body: The closure to run.
  /// - Returns: The result of the closure.
  /// - Throws: ``FaultLimitExceeded`` after the closure, or from a fetch or save in it, if the
  ///   queries exceed a limit that throws; and errors of the closure.
  public func withFaultLimit<Result>(
    _ limit: FaultLimit,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: () throws -> Result
  ) throws -> Result {
    try state.loader.faults.limited(to: limit, at: "\(fileID):\(line)", body)
  }
}
