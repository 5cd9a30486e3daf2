import StoreProtocol

/// A store with planned faults: errors, delays, and other effects of closures.
///
/// ```swift
/// let plan = FaultPlan()
/// let configuration = MemoryStoreConfiguration().faulty(plan)
/// let container = try ModelContainer(for: Trip.self, configurations: configuration)
/// plan.fail(.save)                           // the next save is refused
/// plan.fail(.save, nth: 2, .after)           // the one after it is stored, outcome unknown
/// plan.fail(.read, with: DataStoreError.storeBusy)
/// ```
///
/// The store knows the outcome of an indeterminate save, and a context that asks at once gets it.
/// Plan an error for ``StoreRequest/Kind/outcome`` to make the outcome unknown.
public typealias FaultyStore<Base: RecordStore> = InterceptedStore<Base, FaultPlan>

extension FaultPlan: RequestInterceptor {
  public func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    do {
      try meet(request.kind, .before)
    } catch {
      note(.notSaved, of: request)
      throw error
    }
    let value = try known(request) as? Value ?? body().value
    do {
      try meet(request.kind, .after)
    } catch {
      if let result = value as? StoreChangesResult { note(.saved(result), of: request) }
      throw error
    }
    return value
  }

  /// Returns the outcome that a request asks for, if the plan caused it.
  private func known(_ request: StoreRequest) -> SaveOutcome? {
    guard case .outcome(let identifier) = request else { return nil }
    return outcome(ofSave: identifier)
  }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// Returns a configuration of the store in which requests fail as planned.
  public func faulty(_ plan: FaultPlan) -> InterceptedStoreConfiguration<Self, FaultPlan> {
    InterceptedStoreConfiguration(self, plan)
  }
}
