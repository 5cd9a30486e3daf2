import StoreProtocol
import Synchronization

// A save visits no inbox that it cannot concern: these are found by hierarchy, and by the value
// that each dependency requires.
extension SaveFeed {
  /// The inboxes of observers.
  struct Observers {
    fileprivate var dependencies = RequiredValues()
    fileprivate var inboxes: [ObjectIdentifier: Listening] = [:]
  }

  fileprivate struct Listening {
    weak var inbox: ChangeInbox?
    var count = 0
  }

  /// The number of inboxes that all saves together have visited so far.
  var visitCount: Int { visits.load(ordering: .relaxed) }

  /// Puts changes into an inbox from now on that can concern some dependencies.
  func listen(_ inbox: ChangeInbox, to dependencies: QueryDependencies) {
    change(ObjectIdentifier(inbox)) { listeners, listening, key in
      listeners.insert(key, dependencies)
      listening = Listening(inbox: inbox, count: (listening?.count ?? 0) + 1)
    }
  }

  /// Stops putting changes into an inbox that can concern some dependencies.
  func forget(_ dependencies: QueryDependencies, of inbox: ObjectIdentifier) {
    change(inbox) { listeners, listening, key in
      listeners.remove(key, dependencies)
      listening?.count -= 1
      if listening?.count == 0 { listening = nil }
    }
  }

  private func change(
    _ key: ObjectIdentifier,
    _ body: (inout RequiredValues, inout Listening?, ObjectIdentifier) -> Void
  ) {
    let hasChanged = observers.withLock { observers in
      body(&observers.dependencies, &observers.inboxes[key], key)
      let isObserved = !observers.inboxes.isEmpty
      return isObservedNow.exchange(isObserved, ordering: .acquiringAndReleasing) != isObserved
    }
    if hasChanged { watchStores() }
  }

  /// Puts changes into the inboxes that they can concern.
  func deliver(_ changes: SavedChanges, from own: ChangeInbox?) {
    let inboxes = observers.withLock { observers in
      if changes.isEverything { return observers.inboxes.values.map(\.inbox) }
      return changes.byRoot.reduce(into: Set<ObjectIdentifier>()) { found, changed in
        found.formUnion(
          observers.dependencies.listeners(to: changed.value, of: changed.key, schema)
        )
      }.compactMap { observers.inboxes[$0]?.inbox }
    }
    visits.add(inboxes.count, ordering: .relaxed)
    for case let inbox? in inboxes where inbox !== own || inbox.wants(changes) {
      inbox.put(changes)
    }
  }

  /// The properties of which observers require values.
  var requiredProperties: Set<RequiredValues.PropertyKey> {
    observers.withLock { $0.dependencies.properties }
  }

  /// Returns the properties of which observers require values, except those that entries after a
  /// position may have changed.
  func requiredProperties(since position: UInt64) -> Set<RequiredValues.PropertyKey> {
    guard let changed = (unread(since: position) ?? Entry()).changed else { return [] }
    return requiredProperties.subtracting(changed)
  }
}
