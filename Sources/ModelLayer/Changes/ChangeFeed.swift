import StoreProtocol
import Synchronization

/// Passes the changes of a container's saves to listeners, by hierarchy and by the value that each
/// requires.
///
/// A save visits no listener that it cannot concern.
final class ChangeFeed: Sendable {
  private struct State {
    var listeners = RequiredValues()
    var boxes: [ObjectIdentifier: Listening] = [:]
    /// The last save whose changes are unknown.
    var unknownSave: UInt64 = 0
    /// The last save that changed a property of a row.
    var lastSave: [RequiredValues.PropertyKey: UInt64] = [:]
  }

  private struct Listening {
    weak var box: ChangeInbox?
    var dependencies = 0
  }

  /// Detects saves by other processes.
  let others: OtherProcesses
  private let schema: StoreSchema
  private let state = Mutex(State())
  private let saves = Atomic<UInt64>(0)
  private let listens = Atomic(false)
  private let watching = Mutex(())
  private let visits = Atomic<Int>(0)

  /// Creates a feed without listeners.
  init(_ others: OtherProcesses, _ schema: StoreSchema) {
    self.others = others
    self.schema = schema
  }

  /// Whether there are listeners.
  var isWatched: Bool { listens.load(ordering: .acquiring) }

  /// The number of the last save.
  var save: UInt64 { saves.load(ordering: .acquiring) }

  /// The number of listeners that all saves together have visited so far.
  var visitCount: Int { visits.load(ordering: .relaxed) }

  /// Notifies a box from now on of changes that can concern an dependencies.
  func listen(_ box: ChangeInbox, to dependencies: QueryDependencies) {
    change(ObjectIdentifier(box)) { listeners, listening, key in
      listeners.insert(key, dependencies)
      listening = Listening(box: box, dependencies: (listening?.dependencies ?? 0) + 1)
    }
  }

  /// Stops notifying a box of changes that can concern an dependencies.
  func forget(_ dependencies: QueryDependencies, of box: ObjectIdentifier) {
    change(box) { listeners, listening, key in
      listeners.remove(key, dependencies)
      listening?.dependencies -= 1
      if listening?.dependencies == 0 { listening = nil }
    }
  }

  private func change(
    _ key: ObjectIdentifier,
    _ body: (inout RequiredValues, inout Listening?, ObjectIdentifier) -> Void
  ) {
    let isOther = state.withLock { state in
      body(&state.listeners, &state.boxes[key], key)
      let listens = !state.boxes.isEmpty
      return self.listens.exchange(listens, ordering: .acquiringAndReleasing) != listens
    }
    guard isOther else { return }
    // One after the other, so that the last call determines whether stores are watched.
    watching.withLock { _ in
      others.watch(isWatched)
      // Saves of other processes until now were not reported.
      if others.isWatching { state.withLock { $0.unknownSave = number() } }
    }
  }

  /// Notifies the listeners that a save can concern.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - own: The box of the context that saved, which has most of the changes already.
  ///   - seen: The save up to which the context that saved has seen all saves.
  /// - Returns: The save up to which it has now seen all.
  func report(_ changes: SavedChanges, from own: ChangeInbox?, seen: UInt64?) -> UInt64? {
    let (boxes, next) = state.withLock { state in
      let save = number()
      note(changes, of: save, in: &state)
      let isAlone = seen == save - 1 && !changes.affectsSavingContext
      return (listening(to: changes, in: state), isAlone ? save : seen)
    }
    visits.add(boxes.count, ordering: .relaxed)
    for case let box? in boxes.map(\.box) where box !== own || box.wants(changes) {
      box.put(changes)
    }
    return next
  }

  private func number() -> UInt64 { saves.add(1, ordering: .acquiringAndReleasing).newValue }

  private func note(_ changes: SavedChanges, of save: UInt64, in state: inout State) {
    let isUnknown = changes.isEverything || changes.byRoot.values.contains(where: \.hasOthers)
    if isUnknown || state.boxes.isEmpty { state.unknownSave = save }
    for (root, rows) in changes.byRoot {
      for (name, bits) in rows.properties {
        for (index, property) in (schema.entity(named: name)?.properties ?? []).enumerated()
        where bits & _ModelState.bit(index) != 0 {
          state.lastSave[RequiredValues.PropertyKey(root: root, property: property.name)] = save
        }
      }
    }
  }

  private func listening(to changes: SavedChanges, in state: State) -> [Listening] {
    if changes.isEverything { return Array(state.boxes.values) }
    let found = changes.byRoot.map { state.listeners.listeners(to: $1, of: $0, schema) }
    return found.reduce(into: Set()) { $0.formUnion($1) }.compactMap { state.boxes[$0] }
  }

  /// Returns the attributes of an entity whose values listeners require.
  ///
  /// It leaves out those that a save may have changed that a context has not seen.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - seen: The save up to which the context has seen all saves.
  /// - Returns: The indices of the attributes.
  func required(of entity: StoreEntity, seen: UInt64) -> [Int] {
    state.withLock { state in
      guard seen >= state.unknownSave else { return [] }
      return state.listeners.required(of: entity.root)
        .filter { seen >= state.lastSave[$0] ?? 0 }
        .compactMap { entity.indexByName[$0.property] }
    }
  }
}
