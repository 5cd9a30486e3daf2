import Dispatch
import StoreProtocol
import Synchronization

/// The saves to a container's stores in one order, by which contexts and observers notice them.
///
/// An entry is a save, or several that no context distinguishes: the rows that it removed, and the
/// properties that it changed. A context has one position, the number of the last entry that it has
/// applied. Its next fetch applies the others, on its own thread, so the feed keeps them until then.
/// Observers must be woken: a save puts its changes into the inboxes of those that it can concern,
/// and the feed keeps nothing for them. Readers of the history have their positions in the stores,
/// which keep the history when the process ends; an inbox only signals them.
///
/// Each entry counts the contexts that wait for it. A save for which none waits joins the last
/// entry, or adds nothing if there is none. An entry that its last context has left joins the entry
/// before it, or is dropped as the first one. So there are never more entries than contexts, and a
/// context that has applied all others moves past its own save. A context that never reads again
/// costs one entry. The oldest entries forget their rows when all have too many; a context that
/// reads such an entry asks the stores which of its objects are left.
///
/// Saves of other processes become entries by their numbers in the store (``StoreSaves``).
final class SaveFeed: Sendable {
  /// The changes that contexts must apply which did not make them.
  struct Entry: Sendable {
    /// The removed rows.
    var deleted: [PersistentIdentifier] = []
    /// Whether more rows were removed than are listed.
    var hasErased = false
    /// The properties that may have changed in any row, or `nil` if that is unknown.
    var changed: Set<RequiredValues.PropertyKey>? = []

    mutating func add(_ other: Entry) {
      hasErased = hasErased || other.hasErased
      // Without a list all objects are examined.
      if hasErased { deleted = [] } else { deleted += other.deleted }
      if let others = other.changed { changed?.formUnion(others) } else { changed = nil }
    }
  }

  /// The number of removed rows that are kept for contexts that are late.
  private static let capacity = 10_000

  let schema: StoreSchema
  /// The saves to each store by its own numbers.
  let stores: [StoreSaves]
  let onRemoteChange: @Sendable (String) -> Void
  let queue = DispatchQueue(label: "SaveFeed", qos: .utility)
  let watching = Mutex(Watching())
  let observers = Mutex(Observers())
  let isObservedNow = Atomic(false)
  let visits = Atomic<Int>(0)
  private let entries = Mutex(Entries())
  private let last = Atomic<UInt64>(0)

  /// Creates a feed without entries.
  ///
  /// - Parameters:
  ///   - stores: The stores.
  ///   - schema: The entities.
  ///   - onRemoteChange: Called on any thread with the identifier of a store to which others saved.
  init(
    _ stores: [any RecordStore],
    _ schema: StoreSchema,
    onRemoteChange: @escaping @Sendable (String) -> Void
  ) {
    self.schema = schema
    self.onRemoteChange = onRemoteChange
    self.stores = stores.map(StoreSaves.init)
  }

  deinit { watching.withLock { $0.timer?.cancel() } }

  /// The number of the last entry.
  var end: UInt64 { last.load(ordering: .acquiring) }

  /// Whether there are observers.
  var isObserved: Bool { isObservedNow.load(ordering: .acquiring) }

  /// The number of contexts that have a position.
  var readerCount: Int { entries.withLock { $0.readerCount } }

  /// The number of entries, and of the rows in them, that contexts have not applied yet.
  var keptCounts: (entries: Int, rows: Int) {
    entries.withLock { ($0.list.count, $0.rowCount) }
  }

  /// Adds a context, and returns its position.
  func join() -> UInt64 {
    entries.withLock { entries in
      entries.currentCount += 1
      return end
    }
  }

  /// Removes a context at its position.
  func leave(_ position: UInt64) { entries.withLock { $0.leave(position) } }

  /// Returns what the entries after a position changed, or `nil` if there are none.
  func unread(since position: UInt64) -> Entry? {
    guard position != end else { return nil }
    return entries.withLock { $0.unread(since: position) }
  }

  /// Moves a position to the end, and returns what the entries between changed, or `nil` if there
  /// are none.
  func read(from position: inout UInt64) -> Entry? {
    guard position != end else { return nil }
    return entries.withLock { entries in
      defer {
        entries.leave(position)
        entries.currentCount += 1
        position = end
      }
      return entries.unread(since: position)
    }
  }

  /// Adds a save, and puts its changes into the inboxes of the observers that it can concern.
  ///
  /// - Parameters:
  ///   - deleted: The rows that it removed.
  ///   - hasErased: Whether it removed so many that they are not named.
  ///   - changes: The other changes, or `nil` if anything may have changed.
  ///   - position: The position of the context that saved, or `nil` if it was none.
  ///   - inbox: The inbox of that context, if it has observers; it has most of the changes already.
  /// - Returns: The new position of that context.
  @discardableResult
  func append(
    deleted: [PersistentIdentifier] = [],
    hasErased: Bool = false,
    changes: SavedChanges? = nil,
    at position: UInt64? = nil,
    from inbox: ChangeInbox? = nil
  ) -> UInt64? {
    let changed = changes.flatMap { $0.changedProperties(schema) }
    let entry = Entry(deleted: deleted, hasErased: hasErased, changed: changed)
    let position = append(entry, at: position)
    if isObserved { deliver(changes ?? .everything, from: inbox) }
    return position
  }

  /// Adds an entry without notifying observers.
  @discardableResult
  func append(_ entry: Entry, at position: UInt64? = nil) -> UInt64? {
    entries.withLock { entries in
      guard let number = entries.append(entry, at: position, end) else { return position }
      let isCurrent = position == end
      last.store(number, ordering: .releasing)
      return isCurrent ? number : position
    }
  }

  /// Adds saves of others that the stores have noticed.
  func notice() {
    for saves in stores { saves.notice { append(Entry()) } }
  }

  /// Runs a save of this container, and adds it before its context has adopted the result.
  ///
  /// It does not count as one of others. Other contexts may read the saved rows from then on. If the
  /// save is observed, the changed properties are added afterward, and join the entry of each context
  /// that has not.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - save: Returns the number of the save, its entry, and the position of the context.
  /// - Returns: The new position, past the save unless others have saved before it.
  /// - Throws: The errors of `save`.
  func note(
    _ store: any RecordStore,
    _ save: () throws -> (number: Int64, entry: Entry, position: UInt64)
  ) rethrows -> UInt64 {
    guard let saves = stores.first(where: { $0.store === store }) else {
      return try save().position
    }
    saves.countRunning(1)
    defer { if saves.countRunning(-1) { scheduleLook() } }
    let (number, entry, before) = try save()
    var position = before
    saves.note(number) { position = append(entry, at: $0 ? nil : position) ?? position }
    return position
  }

  /// The entries that contexts have not applied yet.
  private struct Entries {
    struct Kept {
      let number: UInt64
      /// The number of contexts that apply this entry next.
      var readerCount: Int
      var entry = Entry()
    }

    var list: [Kept] = []
    /// The number of contexts that have applied all entries.
    var currentCount = 0
    var rowCount = 0

    var readerCount: Int { list.reduce(currentCount) { $0 + $1.readerCount } }

    /// Returns what the entries after a position changed.
    func unread(since position: UInt64) -> Entry {
      list.lazy.filter { $0.number > position }.reduce(into: Entry()) { $0.add($1.entry) }
    }

    /// Removes a context, and the entries that it alone had to apply.
    mutating func leave(_ position: UInt64) {
      guard let index = list.firstIndex(where: { $0.number > position }) else {
        currentCount -= 1
        return
      }
      list[index].readerCount -= 1
      guard list[index].readerCount == 0 else { return }
      let entry = list.remove(at: index).entry
      if index > 0 { add(entry, at: index - 1) }
      rowCount -= entry.deleted.count
    }

    /// Adds a save after the last entry.
    ///
    /// - Returns: The number of a new entry, or `nil` if no other context is at the end.
    mutating func append(_ entry: Entry, at position: UInt64?, _ end: UInt64) -> UInt64? {
      let isCurrent = position == end
      let readerCount = currentCount - (isCurrent ? 1 : 0)
      var number: UInt64?
      if readerCount > 0 {
        number = end + 1
        list.append(Kept(number: end + 1, readerCount: readerCount))
        currentCount = isCurrent ? 1 : 0
      }
      if !list.isEmpty { add(entry, at: list.count - 1) }
      while rowCount > capacity, let index = list.firstIndex(where: { !$0.entry.deleted.isEmpty }) {
        add(Entry(hasErased: true), at: index)
      }
      return number
    }

    private mutating func add(_ entry: Entry, at index: Int) {
      rowCount -= list[index].entry.deleted.count
      list[index].entry.add(entry)
      rowCount += list[index].entry.deleted.count
    }
  }
}
