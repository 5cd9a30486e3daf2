import StoreProtocol

/// What saves changed, as they come, for any task: first what came after a position, then what comes.
///
/// See ``ModelContainer/transactions(after:of:by:)``.
public struct HistoryTransactions: AsyncSequence, Sendable {
  /// The transactions since the last ones, at least one, the oldest first.
  public typealias Element = [DefaultHistoryTransaction]
  /// Reading may fail.
  public typealias Failure = any Error

  let container: ModelContainer
  let tokens: [String: any HistoryToken]?
  let models: [any PersistentModel.Type]
  let authors: Set<String>

  /// Begins to follow when the first transactions are asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Gives transactions once there are any.
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
    /// - Returns: All since the last ones, nil where the task was cancelled.
    /// - Throws: What reading throws; the next call goes on where the last one was.
    public mutating func next() async throws -> [DefaultHistoryTransaction]? {
      if following == nil { following = try Following(sequence, signal) }
      while !Task.isCancelled {
        if let new = try following?.reading.next(), !new.isEmpty { return new }
        guard await waiter.next() != nil else { return nil }
      }
      return nil
    }
  }

  /// A place in the histories, and the box that tells when there is more.
  private struct Following {
    var reading: HistoryReading
    private let box: NewsBox

    init(_ sequence: HistoryTransactions, _ signal: WakeSignal) throws {
      let core = sequence.container.core
      reading = try HistoryReading(
        after: sequence.tokens,
        of: sequence.models,
        by: sequence.authors,
        in: core
      )
      box = NewsBox(core.changes.feed)
      box.listen(
        for: ObjectIdentifier(box),
        to: Interest(anythingIn: reading.roots, schema: core.schema.storeSchema),
        wantsOwnSaves: true,
        signal: signal.call
      )
    }
  }
}

extension ModelContainer {
  /// The transactions of the stores' histories as they come, whoever saves: contexts of this
  /// container, or other processes.
  ///
  /// ```swift
  /// for try await transactions in container.transactions(of: Trip.self, by: ["widget"]) {
  ///   for transaction in transactions { apply(transaction.changes) }
  /// }
  /// ```
  ///
  /// Each is given once; whoever is slow gets all that came meanwhile together. The loop ends when its
  /// task is cancelled. It throws what ``HistoryObserver`` throws where it is made, and
  /// `SwiftDataError.historyTokenExpired` where history was deleted before it was read.
  ///
  /// - Parameters:
  ///   - tokens: Where to begin, by the identifier of the store; nil for now.
  ///   - models: The models whose changes count, none for all.
  ///   - authors: The authors whose saves count, none for all.
  /// - Returns: The transactions.
  public func transactions(
    after tokens: [String: any HistoryToken]? = nil,
    of models: any PersistentModel.Type...,
    by authors: Set<String> = []
  ) -> HistoryTransactions {
    HistoryTransactions(container: self, tokens: tokens, models: models, authors: authors)
  }
}
