import ModelRuntime
import StoreProtocol

/// The objects with unsaved changes at one moment.
struct PendingObjects {
  /// Objects, and the same objects in runs of one entity.
  typealias List = (models: [any PersistentModel], runs: [EntityRun])

  /// New objects, one hierarchy after the other, each in the order of insertion.
  let inserted: List
  /// Saved objects with changes, in the order of their first change.
  let changed: List
  /// Saved objects that the next save removes.
  let deleted: List
  /// Whether any of them has relationships, which the schema and saves of others may restrict.
  let haveRelationships: Bool

  /// Whether the values of the objects are encoded by code of the program.
  var encodesValues: Bool {
    (inserted.runs + changed.runs).contains { !$0.registration.codedIndices.isEmpty }
  }
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
  /// Whether an object with relationships was deleted, which may have returned since.
  private(set) var deletesRelated = false
  /// The objects whose deletions deleted an object that the program did not delete itself, all as
  /// objects of the lists.
  private var causes: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]
  /// The objects that the delete rules of an object have deleted, by that object.
  private var cascades: [ObjectIdentifier: [any PersistentModel]] = [:]
  /// Deleted objects that only delete rules deleted, as objects of the lists.
  private(set) var cascaded: Set<ObjectIdentifier> = []
  /// The objects that fetches have replaced by new ones with the same unique values, by the new one.
  private(set) var replaced: [ObjectIdentifier: [any PersistentModel]] = [:]
  /// Whether delete rules were applied again, so that they may have had their effects before.
  private(set) var hasRepeatedRules = false
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
  /// The objects by hierarchy and by values, or `nil` if no fetch has needed that since values changed
  /// unnoticed.
  var existingIndex: PendingIndex?
  private var insertedByNumber: (count: Int, models: [Int64: any PersistentModel]) = (0, [:])

  /// The flags of an object that is still in its state: those that it has, among some.
  private typealias Standing = (has: _ModelState.Flags, among: _ModelState.Flags)
  private static let isInserted: Standing = (.inserted, [.inserted, .deleted])
  private static let isChanged: Standing = (.changed, [.changed, .deleted])
  private static let isDeleted: Standing = (.deleted, [.deleted, .inserted])
  private static let isForgotten: Standing = ([.deleted, .inserted], [.deleted, .inserted])

  /// New objects, in the order of their insertion.
  var inserted: [any PersistentModel] { current(insertedList, Self.isInserted) }

  /// Saved objects with changes, in the order of their first change.
  var changed: [any PersistentModel] { current(changedList, Self.isChanged) }

  /// Saved objects that the next save removes.
  var deleted: [any PersistentModel] { current(deletedList, Self.isDeleted) }

  /// Saved objects that the next save removes, and the same objects in runs of one entity.
  var deletedObjects: PendingObjects.List { listed(deletedList, Self.isDeleted) }

  /// Returns all of these at once; each list is searched for the objects that are still in its
  /// state.
  ///
  /// The deleted ones are passed in, from ``deletedObjects``.
  func objects(deleted: PendingObjects.List) -> PendingObjects {
    var (inserted, changed): (PendingObjects.List, PendingObjects.List) = (([], []), ([], []))
    if !insertedList.isEmpty { inserted = listed(insertedList, Self.isInserted) }
    if inserted.runs.count > 1 { inserted = EntityRun.byHierarchy(inserted) }
    if !changedList.isEmpty { changed = listed(changedList, Self.isChanged) }
    let runs = inserted.runs + changed.runs + deleted.runs
    return PendingObjects(
      inserted: inserted,
      changed: changed,
      deleted: deleted,
      haveRelationships: !touched.isEmpty || runs.contains(where: \.registration.hasRelationships)
    )
  }

  /// Whether an object was deleted, new or saved, which may have left that state since.
  var holdsDeleted: Bool { !deletedList.isEmpty }

  /// New objects that were deleted before they were saved.
  var forgotten: [any PersistentModel] {
    // They are among the new ones too.
    if insertedList.isEmpty { return [] }
    return current(deletedList, Self.isForgotten)
  }

  /// Returns the objects of a list that belong to the context and are in a state, each once.
  private func current(
    _ list: [any PersistentModel],
    _ standing: Standing
  ) -> [any PersistentModel] {
    let models = list.filter { Self.isCurrent($0, standing) }
    guard mayRepeat else { return models }
    var seen: Set<ObjectIdentifier> = []
    return models.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// Returns the current objects of a list and their runs, with one access of each object.
  private func listed(
    _ list: [any PersistentModel],
    _ standing: Standing
  ) -> PendingObjects.List {
    if mayRepeat {
      let models = current(list, standing)
      return (models, EntityRun.runs(of: models))
    }
    // Mostly all objects are current, and the list is the result unchanged.
    var models = list
    var count = 0
    var marks: [EntityRun.Mark] = []
    marks.reserveCapacity(list.count)
    var starts: [(registration: EntityRegistration, start: Int)] = []
    var last: UnsafeRawPointer?
    for (position, model) in list.enumerated() {
      let (flags, dirty, key, address) = _ModelState.look(at: model._$state)
      guard flags.intersection(standing.among) == standing.has, let address else { continue }
      if address != last {
        guard let registration = model.registration else { continue }
        starts.append((registration, count))
        last = address
      }
      if count < position { models[count] = model }
      marks.append(EntityRun.Mark(key: key, dirty: dirty))
      count += 1
    }
    models.removeLast(list.count - count)
    return (models, EntityRun.runs(of: models, from: starts, marks: marks))
  }

  private static func isCurrent(_ model: any PersistentModel, _ standing: Standing) -> Bool {
    // The fields are read one by one: a copy of the state would retain what it refers to.
    model._$state.flags.intersection(standing.among) == standing.has
      && model._$state.registration != nil
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
    !insertedList.contains { Self.isCurrent($0, Self.isInserted) }
      && !changedList.contains { Self.isCurrent($0, Self.isChanged) }
      && !deletedList.contains { Self.isCurrent($0, Self.isDeleted) }
  }

  /// The objects of all lists by hierarchy and by values.
  var indexed: PendingIndex {
    mutating get {
      let index = existingIndex ?? PendingIndex()
      existingIndex = index
      index.add(inserted: insertedList, changed: changedList, deleted: deletedList)
      return index
    }
  }

  /// Returns the new object with the number of a temporary identifier, or `nil` if there is none.
  mutating func inserted(_ number: Int64) -> (any PersistentModel)? {
    for model in insertedList[insertedByNumber.count...] {
      insertedByNumber.models[model._$state.key] = model
    }
    insertedByNumber.count = insertedList.count
    return insertedByNumber.models[number].flatMap { model in
      Self.isCurrent(model, Self.isInserted) && model._$state.key == number ? model : nil
    }
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
      guard case .models(let before)? = model.original(of: change.index) else { return true }
      return members == before.filter { !$0.isMarkedDeleted }.map(\.persistentModelID)
    }.map(\.index)
  }

  /// The objects whose to-many relationships changed from their other end.
  var touchedModels: Set<ObjectIdentifier> { Set(touched.all.map { ObjectIdentifier($0.model) }) }

  /// Adds a deleted object, whose delete rules are applied later unless they were.
  mutating func delete(_ model: any PersistentModel, areRulesApplied: Bool = false) {
    deletedList.append(model)
    guard model.registration?.hasRelationships == true else { return }
    deletesRelated = true
    if !areRulesApplied { unruled.append(model) }
  }

  /// Applies the delete rules of all deleted objects once more.
  mutating func applyRulesAgain() {
    let ruled = deleted.filter { $0.registration?.hasRelationships == true }
    unruled += ruled
    hasRepeatedRules = hasRepeatedRules || !ruled.isEmpty
  }

  /// Whether all changes of an object are to-one references to deleted objects, which delete rules
  /// have cleared.
  func isChangedByRules(_ model: any PersistentModel) -> Bool {
    guard let registration = model.registration else { return false }
    let indices = model.dirtyIndices
    return !indices.isEmpty
      && indices.allSatisfy { index in
        guard cleared.contains(model, index), !registration.isToMany[index],
          model.reference(at: index) == nil,
          let original = model.original(of: index)
        else { return false }
        // The program may have changed the reference before or after the rule.
        if case .models(let models) = original {
          return !models.isEmpty && models.allSatisfy(\.isMarkedDeleted)
        }
        return original.key.flatMap {
          registration.destination(of: index)?.identityMap.model(for: $0)
        }?.isMarkedDeleted == true
      }
  }

  /// Drops all changes of saved objects.
  mutating func keepInserted() {
    let inserted = inserted
    self = PendingChanges()
    insertedList = inserted
  }

  /// Notes why an object is deleted, which may be deleted already.
  mutating func note(_ cause: DeletionCause, of model: any PersistentModel) {
    let object = ObjectIdentifier(model)
    let isDeleted = model._$state.flags.contains(.deleted)
    switch cause {
    case .program: forgetCauses(of: model)
    case .rule(let other), .successor(let other):
      guard !isDeleted || causes[object] != nil else { return }
      let isNew = causes[object, default: []].insert(ObjectIdentifier(other)).inserted
      guard case .rule = cause else { return }
      if isNew { cascades[ObjectIdentifier(other), default: []].append(model) }
      if !isDeleted { cascaded.insert(object) }
    }
  }

  /// Forgets why an object was deleted.
  mutating func forgetCauses(of model: any PersistentModel) {
    if !causes.isEmpty { causes[ObjectIdentifier(model)] = nil }
    if !cascaded.isEmpty { cascaded.remove(ObjectIdentifier(model)) }
  }

  /// Notes that an object is no longer deleted, and returns whether its deletion was the only cause
  /// of the deletion of another.
  mutating func removeCause(_ cause: any PersistentModel, of model: any PersistentModel) -> Bool {
    let object = ObjectIdentifier(model)
    guard causes[object]?.remove(ObjectIdentifier(cause)) != nil else { return false }
    return causes[object]?.isEmpty == true
  }

  /// Returns the objects that the delete rules of an object have deleted.
  func objects(deletedWith model: any PersistentModel) -> [any PersistentModel] {
    cascades.isEmpty ? [] : cascades[ObjectIdentifier(model)] ?? []
  }

  /// Notes the objects that a fetch has replaced by a new one.
  mutating func note(_ replaced: [any PersistentModel], replacedBy model: any PersistentModel) {
    self.replaced[ObjectIdentifier(model)] = replaced
  }

  /// Returns the objects that the last fetch has replaced by a new one.
  func objects(replacedBy model: any PersistentModel) -> [any PersistentModel] {
    replaced[ObjectIdentifier(model)] ?? []
  }

  /// Returns a Boolean value that indicates whether a delete rule deleted an object.
  func isCascaded(_ model: any PersistentModel) -> Bool {
    cascaded.contains(ObjectIdentifier(model))
  }
}

/// Relationships of objects, each once, in the order in which they were added.
///
/// It keeps the objects alive, so that no other object can have the identifier of one of them.
struct RelationshipList {
  private struct Key: Hashable {
    let model: ObjectIdentifier
    let index: Int
  }

  /// The relationships.
  private(set) var all: [(model: any PersistentModel, index: Int)] = []
  private var keys: Set<Key> = []

  var isEmpty: Bool { all.isEmpty }

  /// Adds a relationship, unless it is present.
  mutating func insert(_ model: any PersistentModel, _ index: Int) {
    guard keys.insert(Key(model: ObjectIdentifier(model), index: index)).inserted else { return }
    all.append((model, index))
  }

  func contains(_ model: any PersistentModel, _ index: Int) -> Bool {
    keys.contains(Key(model: ObjectIdentifier(model), index: index))
  }
}
