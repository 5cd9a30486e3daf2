import ModelRuntime
import StoreProtocol

/// The objects with unsaved changes at one moment.
struct PendingObjects {
  /// New objects, one hierarchy after the other, each in the order of insertion.
  let inserted: [any PersistentModel]
  /// Saved objects with changes, in the order of their first change.
  let changed: [any PersistentModel]
  /// Saved objects that the next save removes.
  let deleted: [any PersistentModel]
  /// The new objects in runs of one entity.
  let insertedRuns: [EntityRun]
  let changedRuns: [EntityRun]
  let deletedRuns: [EntityRun]

  /// Creates the objects of a moment.
  init(inserted: List, changed: List, deleted: List) {
    (self.inserted, insertedRuns) = inserted
    (self.changed, changedRuns) = changed
    (self.deleted, deletedRuns) = deleted
  }

  /// Objects, and the same objects in runs of one entity.
  typealias List = (models: [any PersistentModel], runs: [EntityRun])
}

/// The unsaved changes of a context.
///
/// The lists keep the order of the changes. An object that left its state (such as a new one that
/// was deleted) stays in its list until the next read, which skips it.
struct PendingChanges {
  private var insertedList: [any PersistentModel] = []
  private var changedList: [any PersistentModel] = []
  private var deletedList: [any PersistentModel] = []
  /// Deleted objects whose delete rules were not applied yet.
  var unruled: [any PersistentModel] = []
  /// Deleted objects that a delete rule deleted, as objects of the lists.
  private var cascaded: Set<ObjectIdentifier> = []
  /// Relationships from which delete rules removed a deleted object.
  var cleared = RelationshipList()
  /// Whether an object may be in a list twice, because it left its state and returned to it.
  var mayRepeat = false
  /// To-many relationships that changed from their other end, to be loaded again after a rollback.
  var touched = RelationshipList()
  /// To-many relationships to which saved objects were added from their other end.
  ///
  /// These objects are last there, though their keys alone would order them elsewhere.
  var joined = RelationshipList()

  private static func isInserted(_ flags: _ModelState.Flags) -> Bool {
    flags.contains(.inserted) && !flags.contains(.deleted)
  }
  private static func isChanged(_ flags: _ModelState.Flags) -> Bool {
    flags.contains(.changed) && !flags.contains(.deleted)
  }
  private static func isDeleted(_ flags: _ModelState.Flags) -> Bool {
    flags.contains(.deleted) && !flags.contains(.inserted)
  }

  /// New objects, in the order of their insertion.
  var inserted: [any PersistentModel] { current(insertedList, where: Self.isInserted) }

  /// Saved objects with changes, in the order of their first change.
  var changed: [any PersistentModel] { current(changedList, where: Self.isChanged) }

  /// Saved objects that the next save removes.
  var deleted: [any PersistentModel] { current(deletedList, where: Self.isDeleted) }

  /// Saved objects that the next save removes, and the same objects in runs of one entity.
  var deletedObjects: PendingObjects.List { listed(deletedList, where: Self.isDeleted) }

  /// Returns all of these at once; each list is searched for the objects that are still in its
  /// state.
  ///
  /// The deleted ones are passed in, from ``deletedObjects``.
  func objects(deleted: PendingObjects.List) -> PendingObjects {
    PendingObjects(
      inserted: EntityRun.byHierarchy(
        listed(insertedList, where: Self.isInserted, isMarked: false)
      ),
      changed: listed(changedList, where: Self.isChanged),
      deleted: deleted
    )
  }

  /// New objects that were deleted before they were saved.
  var forgotten: [any PersistentModel] {
    // They are among the new ones too.
    if insertedList.isEmpty { return [] }
    return current(deletedList) { $0.contains(.deleted) && $0.contains(.inserted) }
  }

  /// Returns the objects of a list that belong to the context and are in a state, each once.
  private func current(
    _ list: [any PersistentModel],
    where isCurrent: (_ModelState.Flags) -> Bool
  ) -> [any PersistentModel] {
    let models = list.filter { Self.isCurrent($0, where: isCurrent) }
    guard mayRepeat else { return models }
    var seen: Set<ObjectIdentifier> = []
    return models.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// Returns the current objects of a list and their runs, with one access of each object.
  ///
  /// The runs have marks of the objects, which are of no use for new ones.
  private func listed(
    _ list: [any PersistentModel],
    where isCurrent: (_ModelState.Flags) -> Bool,
    isMarked: Bool = true
  ) -> PendingObjects.List {
    if mayRepeat {
      let models = current(list, where: isCurrent)
      return (models, EntityRun.runs(of: models))
    }
    // Mostly all objects are current, and the list is the result unchanged.
    var models = list
    var count = 0
    var marks: [EntityRun.Mark] = []
    if isMarked { marks.reserveCapacity(list.count) }
    var starts: [(registration: EntityRegistration, start: Int)] = []
    var last: UnsafeRawPointer?
    for (position, model) in list.enumerated() {
      let (flags, address, mark) = _ModelState.look(at: model._$state)
      guard isCurrent(flags), let address else { continue }
      if address != last {
        guard let registration = model.registration else { continue }
        starts.append((registration, count))
        last = address
      }
      if count < position { models[count] = model }
      if isMarked { marks.append(mark) }
      count += 1
    }
    models.removeLast(list.count - count)
    return (models, EntityRun.runs(of: models, from: starts, marks: isMarked ? marks : nil))
  }

  private static func isCurrent(
    _ model: any PersistentModel,
    where isCurrent: (_ModelState.Flags) -> Bool
  ) -> Bool {
    // The flags are read one by one: a copy of the state would retain what it refers to.
    isCurrent(model._$state.flags) && model._$state.registration != nil
  }

  /// All objects in any list.
  var all: [any PersistentModel] { insertedList + changedList + deletedList }

  /// Whether any list has an object, including one that is no longer to be saved.
  var holdsObjects: Bool {
    !insertedList.isEmpty || !changedList.isEmpty || !deletedList.isEmpty
  }

  /// Whether there is nothing to save.
  ///
  /// - Complexity: O(1), except for objects at the front of the lists that left their states.
  var isEmpty: Bool {
    !insertedList.contains { Self.isCurrent($0, where: Self.isInserted) }
      && !changedList.contains { Self.isCurrent($0, where: Self.isChanged) }
      && !deletedList.contains { Self.isCurrent($0, where: Self.isDeleted) }
  }

  /// Adds a change.
  mutating func note(_ change: UnsavedChange, of model: any PersistentModel) {
    switch change {
    case .inserted: insertedList.append(model)
    case .changed: changedList.append(model)
    case .touched(let index): touched.insert(model, index)
    case .joined(let index): joined.insert(model, index)
    }
  }

  /// Returns the positions of relationships among changes that are as a delete rule left them.
  ///
  /// A reference that has another object since was set by the program. So was a list that differs
  /// from the previous one in more than the deleted objects.
  func consequences(
    among changes: [StoreUpdate.Change],
    of model: any PersistentModel
  ) -> [Int] {
    if cleared.isEmpty { return [] }
    return changes.filter { change in
      guard cleared.contains(model, change.index) else { return false }
      guard case .identifiers(let members) = change.value else { return change.value.isNull }
      guard
        case .models(let before)? = model.existingExtra?.originals
          .first(where: { $0.index == change.index })?.content
      else { return true }
      return members == before.filter { !$0.isMarkedDeleted }.map(\.persistentModelID)
    }.map(\.index)
  }

  /// The objects whose to-many relationships changed from their other end.
  var touchedModels: Set<ObjectIdentifier> { Set(touched.map { ObjectIdentifier($0.model) }) }

  /// Adds a deleted object, whose delete rules are applied later if it has any.
  mutating func delete(_ model: any PersistentModel, hasRules: Bool, byRule: Bool) {
    deletedList.append(model)
    if hasRules { unruled.append(model) }
    if byRule { cascaded.insert(ObjectIdentifier(model)) }
  }

  /// Notes that the program deletes an object, which a delete rule may have deleted already.
  mutating func noteProgramDeletes(_ model: any PersistentModel) {
    if !cascaded.isEmpty { cascaded.remove(ObjectIdentifier(model)) }
  }

  /// Returns a Boolean value that indicates whether a delete rule deleted an object.
  func isCascaded(_ model: any PersistentModel) -> Bool {
    !cascaded.isEmpty && cascaded.contains(ObjectIdentifier(model))
  }
}

extension _ModelState {
  /// Returns the values of an object that a list of pending objects needs, with one access of its
  /// state.
  ///
  /// The registration is returned as an address, which counts no reference.
  @inline(__always)
  fileprivate static func look(
    at state: borrowing _ModelState
  ) -> (flags: Flags, address: UnsafeRawPointer?, mark: EntityRun.Mark) {
    let address = state.registration.map {
      UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque())
    }
    return (state.flags, address, .init(key: state.key, dirty: state.dirty))
  }
}
