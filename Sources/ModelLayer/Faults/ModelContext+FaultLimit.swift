import StoreProtocol

extension ModelContext {
  /// How many queries touches of what was not loaded have cost since the context was made.
  ///
  /// Fetches do not count, nor what they load along.
  public var faultCount: Int { state.faults.count }

  /// How many queries touches of what was not loaded may cost; nil, as at first, for any number.
  ///
  /// Setting a limit begins to count from zero for it. One that throws does so in the context's next
  /// fetch or save, before it does anything, and counts from zero again.
  public var faultLimit: FaultLimit? {
    get { state.faults.limit?.limit }
    set { state.faults.setLimit(newValue) }
  }

  /// Runs a closure in which touches of what was not loaded may cost so many queries.
  ///
  /// ```swift
  /// try context.withFaultLimit(2) {
  ///   for trip in trips { total += trip.items.count }
  /// }
  /// ```
  ///
  /// Scopes within scopes count for all of them, and for ``faultLimit``.
  ///
  /// - Parameters:
  ///   - limit: How many queries, and what happens beyond.
  ///   - fileID: Where the scope is, for the error; leave it out.
  ///   - line: The line of the scope, for the error; leave it out.
  ///   - body: What to run.
  /// - Returns: What the closure returns.
  /// - Throws: ``FaultLimitExceeded`` after the closure, or from a fetch or save in it, when it cost
  ///   more and the limit is one that throws; and what the closure throws.
  public func withFaultLimit<Result>(
    _ limit: FaultLimit,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: () throws -> Result
  ) throws -> Result {
    try state.faults.limited(to: limit, at: "\(fileID):\(line)", body)
  }
}
