import StoreProtocol
import Synchronization

/// A count of the saves through a container, by which contexts detect saves of others.
final class ContainerChanges: Sendable {
  private let count = Atomic<UInt64>(0)
  /// The rows that saves removed.
  let deletions = DeletionLog()
  /// Notifies observers of what saves changed.
  let feed: ChangeFeed

  /// Begins to count, and to watch other processes while there are observers.
  init(_ others: OtherProcesses, _ schema: StoreSchema) {
    feed = ChangeFeed(others, schema)
  }

  /// The number of saves so far.
  var generation: UInt64 { count.load(ordering: .acquiring) }

  /// Counts a save, and notifies the other contexts of what it removed, and observers of what it
  /// changed.
  ///
  /// - Parameters:
  ///   - deleted: The rows that it removed.
  ///   - hasErased: Whether it removed so many that they are not named.
  ///   - changes: The other known changes, or `nil` if anything may have changed.
  ///   - seen: The saves that the context has seen that saved, if it was one.
  ///   - inbox: The inbox of that context, if it has observers.
  /// - Returns: The saves that the context has now seen.
  @discardableResult
  func post(
    deleted: [PersistentIdentifier] = [],
    hasErased: Bool = false,
    changes: SavedChanges? = nil,
    from seen: SeenSaves? = nil,
    _ inbox: ChangeInbox? = nil
  ) -> SeenSaves? {
    var seen = seen
    if hasErased || !deleted.isEmpty {
      let position = deletions.append(deleted, isMuch: hasErased, position: seen?.deletions)
      seen?.deletions = position
    }
    count.add(1, ordering: .acquiringAndReleasing)
    seen?.generation &+= 1
    if let save = feed.report(changes ?? .everything, from: inbox, seen: seen?.save) {
      seen?.save = save
    }
    return seen
  }
}

/// The saves through a container that one context has seen.
struct SeenSaves {
  /// The number of the container's saves that the context has processed.
  var generation: UInt64
  /// The last save up to which the context has seen all saves of others, by the count of the
  /// container's feed.
  var save: UInt64
  /// The position of the context in the log of rows that all contexts removed.
  var deletions: UInt64

  /// Begins with the saves so far.
  init(_ changes: ContainerChanges) {
    generation = changes.generation
    save = changes.feed.save
    deletions = changes.deletions.addReader()
  }
}
