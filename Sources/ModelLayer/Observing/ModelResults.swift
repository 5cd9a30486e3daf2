import StoreProtocol

/// The objects of a fetch as they become, in their context: first those of now, then others whenever
/// other objects are in the answer or their order is another.
///
/// See ``ModelContext/results(of:)``.
public struct ModelResults<T: PersistentModel>: AsyncSequence {
  /// The objects of one moment.
  public typealias Element = [T]
  /// Fetching may fail.
  public typealias Failure = any Error

  let context: ModelContext
  let descriptor: FetchDescriptor<T>

  /// Begins to follow when the first results are asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(context: context, descriptor: descriptor)
  }

  /// Gives the results of each moment at which they are asked for, once they are others than before.
  public struct Iterator: AsyncIteratorProtocol {
    private let context: ModelContext
    private let descriptor: FetchDescriptor<T>
    private let signal = WakeSignal()
    private var waiter: AsyncStream<Void>.Iterator
    private var answer: LiveAnswer<T>?

    init(context: ModelContext, descriptor: FetchDescriptor<T>) {
      self.context = context
      self.descriptor = descriptor
      waiter = signal.makeWaiter()
    }

    /// Waits for the next results.
    ///
    /// - Parameter actor: The isolation of the context.
    /// - Returns: The objects, nil where the task was cancelled.
    /// - Throws: What fetching throws; the next call fetches again.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> [T]? {
      if Task.isCancelled { return nil }
      guard let answer else {
        let made = try LiveAnswer(descriptor, in: context, signal: signal.call)
        answer = made
        return made.models
      }
      while true {
        context.state.keeper?.turn()
        if answer.failure != nil || answer.staleness == .list {
          let hasChanged = answer.refetch()
          if let failure = answer.failure { throw failure }
          if hasChanged { return answer.models }
        }
        guard await waiter.next(isolation: actor) != nil else { return nil }
      }
    }

    /// The next results, outside of any actor.
    public mutating func next() async throws -> [T]? { try await next(isolation: nil) }
  }
}

extension ModelContext {
  /// The objects of a fetch now, and again whenever other objects are in it or in another order.
  ///
  /// ```swift
  /// for try await trips in context.results(of: FetchDescriptor<Trip>(sortBy: [.init(\.name)])) {
  ///   list.show(trips)
  /// }
  /// ```
  ///
  /// The results follow what ``ResultsObserver`` follows. Whoever is slow to ask for the next results
  /// gets those of then, and not what lay between. The loop is to run in the isolation of the
  /// context; it ends when its task is cancelled, and throws what a fetch throws. The values of
  /// objects are followed by observing these; ``ModelContainer/snapshots(of:)`` follows them as well.
  ///
  /// - Parameter descriptor: What to fetch.
  /// - Returns: The results; each loop over them fetches for itself.
  public func results<T: PersistentModel>(of descriptor: FetchDescriptor<T>) -> ModelResults<T> {
    ModelResults(context: self, descriptor: descriptor)
  }
}
