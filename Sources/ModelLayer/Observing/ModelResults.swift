import StoreProtocol

/// A sequence of the objects of a fetch in their context: first the current ones, then again
/// whenever they or their order change.
///
/// See ``ModelContext/results(of:)``.
public struct ModelResults<T: PersistentModel>: AsyncSequence {
  /// The objects of one moment.
  public typealias Element = [T]
  /// The error type of a fetch.
  public typealias Failure = any Error

  let context: ModelContext
  let descriptor: FetchDescriptor<T>

  /// Creates an iterator, which begins to observe at the first request for results.
  public func makeAsyncIterator() -> Iterator {
    Iterator(context: context, descriptor: descriptor)
  }

  /// An iterator that returns the current results when they differ from the last ones.
  public struct Iterator: AsyncIteratorProtocol {
    private let context: ModelContext
    private let descriptor: FetchDescriptor<T>
    private let signal = WakeSignal()
    private var waiter: AsyncStream<Void>.Iterator
    private var results: LiveResults<T>?

    init(context: ModelContext, descriptor: FetchDescriptor<T>) {
      self.context = context
      self.descriptor = descriptor
      waiter = signal.makeWaiter()
    }

    /// Waits for the next results.
    ///
    /// - Parameter actor: The isolation of the context.
    /// - Returns: The objects, or `nil` if the task was canceled.
    /// - Throws: Errors of the fetch; the next call fetches again.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> [T]? {
      if Task.isCancelled { return nil }
      guard let results else {
        let made = try LiveResults(descriptor, in: context, signal: signal.call)
        results = made
        return made.models
      }
      while true {
        context.state.updater?.turn()
        if results.failure != nil || results.staleness == .list {
          let hasChanged = results.refetch()
          if let failure = results.failure { throw failure }
          if hasChanged { return results.models }
        }
        guard await waiter.next(isolation: actor) != nil else { return nil }
      }
    }

    /// Waits for the next results, outside of any actor.
    public mutating func next() async throws -> [T]? { try await next(isolation: nil) }
  }
}

extension ModelContext {
  /// Returns the current objects of a fetch, and again whenever the objects or their order change.
  ///
  /// ```swift
  /// for try await trips in context.results(of: FetchDescriptor<Trip>(sortBy: [.init(\.name)])) {
  ///   list.show(trips)
  /// }
  /// ```
  ///
  /// The results follow the same changes as a ``ResultsObserver``. A slow loop gets the current
  /// results, and not those in between. Run the loop in the isolation of the context; it ends when
  /// its task is canceled, and throws the errors of a fetch. To follow the values of objects,
  /// observe the objects; ``ModelContainer/snapshots(of:)`` follows them as well.
  ///
  /// - Parameter descriptor: The fetch.
  /// - Returns: The results; each loop over them fetches separately.
  public func results<T: PersistentModel>(of descriptor: FetchDescriptor<T>) -> ModelResults<T> {
    ModelResults(context: self, descriptor: descriptor)
  }
}
