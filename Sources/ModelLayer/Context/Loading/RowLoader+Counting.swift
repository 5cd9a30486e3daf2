import ModelRuntime
import StoreProtocol

// Counts a to-many relationship without its objects.

extension PersistentModel {
  /// Returns the number of objects in a to-many relationship, without loading them.
  ///
  /// The number equals the count of the relationship itself: with unsaved changes, and without
  /// objects that are marked for deletion. A loaded relationship is counted in memory. For any
  /// other the store is queried for the number alone, at the cost of one query each time. If the
  /// store throws, the number is 0, and the next save throws the error.
  public func count<M: PersistentModel>(of relationship: KeyPath<Self, [M]>) -> Int {
    count(relationship) { self[keyPath: relationship] }
  }

  /// Returns the number of objects in an optional to-many relationship, without loading them.
  public func count<M: PersistentModel>(of relationship: KeyPath<Self, [M]?>) -> Int {
    count(relationship) { self[keyPath: relationship] ?? [] }
  }

  /// Returns whether a to-many relationship has no objects, without loading any; see `count(of:)`.
  public func isEmpty<M: PersistentModel>(_ relationship: KeyPath<Self, [M]>) -> Bool {
    count(relationship, limit: 1) { self[keyPath: relationship] } == 0
  }

  /// Returns whether an optional to-many relationship has no objects, without loading any.
  public func isEmpty<M: PersistentModel>(_ relationship: KeyPath<Self, [M]?>) -> Bool {
    count(relationship, limit: 1) { self[keyPath: relationship] ?? [] } == 0
  }

  /// Counts a relationship, or the objects of a computed property, which no store has.
  private func count(
    _ keyPath: AnyKeyPath,
    limit: Int? = nil,
    _ objects: () -> [any PersistentModel]
  ) -> Int {
    let layout = registration?.layout ?? ModelLayout.of(type(of: self))
    guard let name = ModelLayout.nameOfProperty(at: keyPath),
      let index = layout.index(named: name), layout.properties[index].shape?.isToMany == true
    else { return objects().count { !$0.isDeleted } }
    notifyObservers(ofReading: index, in: layout)
    registration?.context.processPendingChanges()
    if hasFault(at: index), !isDeleted, let registration {
      return registration.context.loader.count(index, of: self, in: registration, limit: limit)
    }
    return related(at: index).count { !$0.isDeleted }
  }

  private func notifyObservers(ofReading index: Int, in layout: ModelLayout) {
    guard isObserved, let registrar = existingExtra?.registrar else { return }
    (layout.properties[index].keyPath as? any ObservedPath)?.access(on: self, registrar: registrar)
  }
}

extension RowLoader {
  /// Counts a relationship that is not loaded; the next save throws an error that occurs here.
  fileprivate func count(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration,
    limit: Int?
  ) -> Int {
    var count = 0
    do {
      try faults.touching(registration.entity, index) {
        count = try numberOfMembers(index, of: model, in: registration, limit: limit)
      }
    } catch {
      faultFailed(error, entity: registration.entity, index: index)
    }
    return count
  }

  private func numberOfMembers(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration,
    limit: Int?
  ) throws -> Int {
    let property = registration.entity.properties[index]
    guard property.isDerivedToMany, registration.derivesMembers,
      let relationship = property.relationship, let inverse = relationship.inverse
    else { return try listedMembers(index, of: model, in: registration) }
    // The elements refer to their owner: those with unsaved changes are checked here, and the store
    // counts the others.
    let changed = pendingObjects(of: relationship.destination)
    let key = model.persistentModelID.key
    let inside = changed.count { other in
      let index = other.registration?.layout.index(named: inverse)
      return !other.isDeleted && index.flatMap(other.reference) == key
    }
    let owner = QueryExpression.constant(.identifiers([model.persistentModelID]))
    var conditions = [QueryExpression.contains(owner, .property(.element(0), inverse))]
    let stored = changed.map(\.persistentModelID).filter { !$0.isTemporary }
    if !stored.isEmpty {
      conditions.append(.not(.contains(.constant(.identifiers(stored)), .element(0))))
    }
    let query = StoreQuery(
      entity: relationship.destination,
      filter: conditions.count == 1 ? conditions[0] : .and(conditions),
      limit: limit
    )
    if inside > 0, limit == 1 { return inside }
    faults.queryHappens()
    return try registration.store.countRows(of: query) + inside
  }

  /// Returns the unsaved objects of an entity, and of those that inherit from it.
  private func pendingObjects(of entity: String) -> [any PersistentModel] {
    guard context.hasChanges else { return [] }
    var seen: Set<ObjectIdentifier> = []
    return context.pending.all.filter { model in
      guard let registration = model.registration, registration.context === context,
        context.core.schema.storeSchema.isEntity(registration.entity.name, kindOf: entity)
      else { return false }
      return seen.insert(ObjectIdentifier(model)).inserted
    }
  }

  /// Counts the identifiers of elements whose own rows do not refer to the owner.
  ///
  /// A change of such a relationship loads it, so that only deletions can be pending.
  private func listedMembers(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) throws -> Int {
    faults.queryHappens()
    let identifier = model.persistentModelID
    let members = try registration.store.members(
      of: registration.entity.properties[index].name,
      in: registration.entity.name,
      owners: [identifier]
    )
    let deleted = Set(context.pending.deleted.map(\.persistentModelID))
    return (members[identifier] ?? []).count { !deleted.contains($0) }
  }
}
