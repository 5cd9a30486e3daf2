import StoreProtocol

/// A sequence of the values of a fetch's objects, for any task.
///
/// It starts with the current values, and continues whenever an object is added, removed or moved,
/// or has other values. See ``ModelContainer/snapshots(of:)``.
public struct SnapshotResults<T: PersistentModel>: AsyncSequence, Sendable {
  /// The values of one moment.
  public typealias Element = [ModelSnapshot<T>]
  /// The error type of a fetch.
  public typealias Failure = any Error

  let container: ModelContainer
  let descriptor: FetchDescriptor<T>

  /// Creates an iterator, which begins to observe at the first request for values.
  public func makeAsyncIterator() -> Iterator { Iterator(container, descriptor) }

  /// An iterator that returns the current values when they differ from the last ones.
  public struct Iterator: AsyncIteratorProtocol {
    private let updater: SnapshotUpdater<T>
    private var waiter: AsyncStream<Void>.Iterator

    init(_ container: ModelContainer, _ descriptor: FetchDescriptor<T>) {
      let signal = WakeSignal()
      updater = SnapshotUpdater(container, descriptor, signal)
      waiter = signal.makeWaiter()
    }

    /// Returns the next values, or `nil` if the task was canceled.
    ///
    /// - Throws: Errors of the fetch; the next call fetches again.
    public mutating func next() async throws -> [ModelSnapshot<T>]? { try await nextChange()?.new }

    /// Returns the next values with those before them.
    mutating func nextChange() async throws -> (old: [ModelSnapshot<T>], new: [ModelSnapshot<T>])? {
      while !Task.isCancelled {
        if let change = try await updater.nextChange() { return change }
        guard await waiter.next() != nil else { return nil }
      }
      return nil
    }
  }
}

/// A sequence of the differences between the values of a fetch's objects and the previous ones, for
/// any task.
///
/// See ``ModelContainer/differences(of:)``.
public struct SnapshotDifferences<T: PersistentModel>: AsyncSequence, Sendable {
  /// The changes to the previous values.
  public typealias Element = ResultsDifference<ModelSnapshot<T>>
  /// The error type of a fetch.
  public typealias Failure = any Error

  let results: SnapshotResults<T>

  /// Creates an iterator, which begins to observe at the first request for a difference.
  public func makeAsyncIterator() -> Iterator { Iterator(base: results.makeAsyncIterator()) }

  /// An iterator that returns the difference from the last values, when there is one.
  public struct Iterator: AsyncIteratorProtocol {
    var base: SnapshotResults<T>.Iterator

    /// Returns the next difference, or `nil` if the task was canceled.
    ///
    /// - Throws: Errors of the fetch; the next call fetches again.
    public mutating func next() async throws -> ResultsDifference<ModelSnapshot<T>>? {
      guard let change = try await base.nextChange() else { return nil }
      return ResultsDifference(
        from: change.old,
        to: change.new,
        identifiedBy: \.persistentModelID,
        isUnchanged: ==
      )
    }
  }
}

extension ModelContainer {
  /// Returns the current values of a fetch's objects, and again whenever any of them changes.
  ///
  /// ```swift
  /// for try await trips in container.snapshots(of: FetchDescriptor<Trip>()) {
  ///   await server.publish(trips.map(\.name))
  /// }
  /// ```
  ///
  /// They follow the saves of any context of the container, and of other processes if the store can
  /// detect them. A slow loop gets the current values, and not those in between. The loop ends when
  /// its task is canceled, and throws the errors of a fetch. Attributes that the descriptor leaves
  /// out (`propertiesToFetch`) are not followed.
  ///
  /// - Parameter descriptor: The fetch.
  /// - Returns: The values; each loop over them has a context of its own.
  /// - Complexity: O(*n*) copies whenever anything in the results changes, where *n* is their
  ///   number.
  public func snapshots<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>
  ) -> SnapshotResults<T> {
    SnapshotResults(container: self, descriptor: descriptor)
  }

  /// Returns the changes that keep a list equal to the values of a fetch's objects.
  ///
  /// The first difference applies to an empty list, each further one to the list before it. See
  /// ``snapshots(of:)`` for the changes that are followed, and ``ResultsDifference`` for how to use
  /// it:
  ///
  /// ```swift
  /// var trips: [ModelSnapshot<Trip>] = []
  /// for try await difference in container.differences(of: descriptor) { trips.apply(difference) }
  /// ```
  ///
  /// - Parameter descriptor: The fetch.
  /// - Returns: The differences; each loop over them has a context of its own.
  public func differences<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>
  ) -> SnapshotDifferences<T> {
    SnapshotDifferences(results: snapshots(of: descriptor))
  }
}
