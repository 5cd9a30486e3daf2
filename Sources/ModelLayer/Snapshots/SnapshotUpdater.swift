import StoreProtocol

/// The result of a fetch as values, kept up to date in a context of its own.
actor SnapshotUpdater<T: PersistentModel> {
  private let container: ModelContainer
  private let descriptor: FetchDescriptor<T>
  private let signal: WakeSignal
  private var results: LiveResults<T>?
  private var given: [ModelSnapshot<T>]?

  init(_ container: ModelContainer, _ descriptor: FetchDescriptor<T>, _ signal: WakeSignal) {
    self.container = container
    self.descriptor = descriptor
    self.signal = signal
  }

  /// Returns the current values, or `nil` if they are those that were returned last.
  ///
  /// - Throws: Errors of the fetch; the next call fetches again.
  func nextChange() throws -> (old: [ModelSnapshot<T>], new: [ModelSnapshot<T>])? {
    guard try update(), let results else { return nil }
    let old = given
    let new = try results.models.map { try $0.snapshot() }
    given = new
    return old == new ? nil : (old ?? [], new)
  }

  /// Fetches if anything may have changed.
  ///
  /// - Returns: Whether anything may have changed since the last call.
  private func update() throws -> Bool {
    guard let results else {
      results = try LiveResults(
        descriptor,
        in: ModelContext(container),
        followsValues: true,
        signal: signal.call
      )
      return true
    }
    results.context.state.updater?.turn()
    let change = results.staleness
    guard results.failure != nil || change != .nothing || given == nil else { return false }
    if results.failure != nil || change == .list { results.refetch() } else { results.noteSeen() }
    if let failure = results.failure { throw failure }
    return true
  }
}
