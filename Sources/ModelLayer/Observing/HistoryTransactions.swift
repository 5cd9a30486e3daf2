import StoreProtocol

/// A sequence of saved changes for any task: first those after a position, then new ones as they
/// are saved.
///
/// See ``ModelContainer/transactions(after:of:by:)``.
public struct HistoryTransactions: AsyncSequence, Sendable {
  /// The transactions since the last ones, at least one, the oldest first.
  public typealias Element = [DefaultHistoryTransaction]
  /// The error type of a read.
  public typealias Failure = any Error

  let container: ModelContainer
  let tokens: [String: any HistoryToken]?
  let models: [any PersistentModel.Type]
  let authors: Set<String>

  /// Creates an iterator, which begins to observe at the first request for transactions.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator that returns transactions when there are any.
  public struct Iterator: AsyncIteratorProtocol {
    private let sequence: HistoryTransactions
    private var following: Following?
    private var waiter: AsyncStream<Void>.Iterator
    private let signal = WakeSignal()

    init(_ sequence: HistoryTransactions) {
      self.sequence = sequence
      waiter = signal.makeWaiter()
    }

    /// Waits for the next transactions.
    ///
    /// - Returns: All since the last ones, or `nil` if the task was canceled.
    /// - Throws: Errors of reading; the next call continues from the last position.
    public mutating func next() async throws -> [DefaultHistoryTransaction]? {
      if following == nil { following = try Following(sequence, signal) }
      while !Task.isCancelled {
        if let new = try following?.reading.next(), !new.isEmpty { return new }
        guard await waiter.next() != nil else { return nil }
      }
      return nil
    }
  }

  /// A position in the histories, and the box that signals new transactions.
  private struct Following {
    var reading: HistoryReading
    private let box: ChangeInbox

    init(_ sequence: HistoryTransactions, _ signal: WakeSignal) throws {
      let core = sequence.container.core
      reading = try HistoryReading(
        after: sequence.tokens,
        of: sequence.models,
        by: sequence.authors,
        in: core
      )
      box = ChangeInbox(core.saves)
      box.listen(
        for: ObjectIdentifier(box),
        to: QueryDependencies(anythingIn: reading.roots, schema: core.schema.storeSchema),
        wantsOwnSaves: true,
        signal: signal.call
      )
    }
  }
}

extension ModelContainer {
  /// Returns the transactions of the stores' histories as they are saved, by this container or
  /// other processes.
  ///
  /// ```swift
  /// for try await transactions in container.transactions(of: Trip.self, by: ["widget"]) {
  ///   for transaction in transactions { apply(transaction.changes) }
  /// }
  /// ```
  ///
  /// Each is returned once; a slow loop gets all transactions since its last ones together. The
  /// loop ends when its task is canceled. It throws the errors of creating a ``HistoryObserver``,
  /// and `SwiftDataError.historyTokenExpired` if history was deleted before it was read.
  ///
  /// - Parameters:
  ///   - tokens: The positions to begin at, by store identifier, or `nil` for the current ones.
  ///   - models: The models whose changes count; none for all.
  ///   - authors: The authors whose saves count; an empty set for all.
  /// - Returns: The transactions.
  public func transactions(
    after tokens: [String: any HistoryToken]? = nil,
    of models: any PersistentModel.Type...,
    by authors: Set<String> = []
  ) -> HistoryTransactions {
    HistoryTransactions(container: self, tokens: tokens, models: models, authors: authors)
  }
}
