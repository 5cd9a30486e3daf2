import StoreProtocol

/// The values of a fetch's objects as they become, for any task: first those of now, then others
/// whenever an object comes, goes, moves, or has other values.
///
/// See ``ModelContainer/snapshots(of:)``.
public struct SnapshotResults<T: PersistentModel>: AsyncSequence, Sendable {
  /// The values of one moment.
  public typealias Element = [ModelSnapshot<T>]
  /// Fetching may fail.
  public typealias Failure = any Error

  let container: ModelContainer
  let descriptor: FetchDescriptor<T>

  /// Begins to follow when the first values are asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(container, descriptor) }

  /// Gives the values of each moment at which they are asked for, once they are others than before.
  public struct Iterator: AsyncIteratorProtocol {
    private let keeper: SnapshotKeeper<T>
    private var waiter: AsyncStream<Void>.Iterator

    init(_ container: ModelContainer, _ descriptor: FetchDescriptor<T>) {
      let signal = WakeSignal()
      keeper = SnapshotKeeper(container, descriptor, signal)
      waiter = signal.makeWaiter()
    }

    /// The next values, nil where the task was cancelled.
    ///
    /// - Throws: What fetching throws; the next call fetches again.
    public mutating func next() async throws -> [ModelSnapshot<T>]? { try await nextNews()?.new }

    /// The next values with those before them.
    mutating func nextNews() async throws -> (old: [ModelSnapshot<T>], new: [ModelSnapshot<T>])? {
      while !Task.isCancelled {
        if let news = try await keeper.news() { return news }
        guard await waiter.next() != nil else { return nil }
      }
      return nil
    }
  }
}

/// The differences between the values of a fetch's objects and those before, for any task.
///
/// See ``ModelContainer/differences(of:)``.
public struct SnapshotDifferences<T: PersistentModel>: AsyncSequence, Sendable {
  /// What is to be done to the values before.
  public typealias Element = ResultsDifference<ModelSnapshot<T>>
  /// Fetching may fail.
  public typealias Failure = any Error

  let results: SnapshotResults<T>

  /// Begins to follow when the first difference is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(base: results.makeAsyncIterator()) }

  /// Gives the difference to what was given last, once there is one.
  public struct Iterator: AsyncIteratorProtocol {
    var base: SnapshotResults<T>.Iterator

    /// The next difference, nil where the task was cancelled.
    ///
    /// - Throws: What fetching throws; the next call fetches again.
    public mutating func next() async throws -> ResultsDifference<ModelSnapshot<T>>? {
      guard let news = try await base.nextNews() else { return nil }
      return ResultsDifference(
        from: news.old,
        to: news.new,
        identifiedBy: \.persistentModelID,
        isUnchanged: ==
      )
    }
  }
}

extension ModelContainer {
  /// The values of a fetch's objects now, and again whenever any of them is another.
  ///
  /// ```swift
  /// for try await trips in container.snapshots(of: FetchDescriptor<Trip>()) {
  ///   await server.publish(trips.map(\.name))
  /// }
  /// ```
  ///
  /// They follow what any context of the container saves, and other processes where the store can
  /// tell of them. Whoever is slow to ask for the next values gets those of then, and not what lay
  /// between. The loop ends when its task is cancelled, and throws what a fetch throws. Attributes
  /// that the descriptor leaves out (`propertiesToFetch`) are not followed.
  ///
  /// - Parameter descriptor: What to fetch.
  /// - Returns: The values; each loop over them has a context of its own.
  /// - Complexity: O(*n*) copies whenever anything in the results changes, where *n* is their number.
  public func snapshots<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>
  ) -> SnapshotResults<T> {
    SnapshotResults(container: self, descriptor: descriptor)
  }

  /// What has to be done to a list to make it the values of a fetch's objects: first to an empty list,
  /// then to what it has become.
  ///
  /// See ``snapshots(of:)`` for what is followed, and ``ResultsDifference`` for how to use it:
  ///
  /// ```swift
  /// var trips: [ModelSnapshot<Trip>] = []
  /// for try await difference in container.differences(of: descriptor) { trips.apply(difference) }
  /// ```
  ///
  /// - Parameter descriptor: What to fetch.
  /// - Returns: The differences; each loop over them has a context of its own.
  public func differences<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>
  ) -> SnapshotDifferences<T> {
    SnapshotDifferences(results: snapshots(of: descriptor))
  }
}
