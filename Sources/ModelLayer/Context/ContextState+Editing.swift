import ModelRuntime
import StoreProtocol

extension ContextState {
  /// Registers a new object, and all objects that it refers to, for the next save.
  func insert<T>(_ model: T) where T: PersistentModel {
    if model._$state.flags.contains(.deleted), isMember(model) {
      keep(model)
    } else {
      insertGraph(model)
    }
  }

  /// Reverts the deletion of an object with the effects of its delete rules.
  func keep(_ root: any PersistentModel) {
    var kept = [root]
    var ruled: [any PersistentModel] = []
    var next = 0
    while next < kept.count {
      let model = kept[next]
      next += 1
      if !pending.unruled.contains(where: { $0 === model }) { ruled.append(model) }
      undelete(model)
      kept += consequences(ofDeleting: model).filter { pending.removeCause(model, of: $0) }
    }
    for model in ruled { rejoin(model, isYielding: true) }
  }

  /// Returns the deleted objects that the deletion of an object may have deleted.
  private func consequences(ofDeleting model: any PersistentModel) -> [any PersistentModel] {
    guard let registration = model.registration else { return [] }
    let cascade = Schema.Relationship.DeleteRule.cascade.rawValue
    let related = registration.relationshipIndices.filter {
      registration.entity.properties[$0].relationship?.deleteRule == cascade
    }.flatMap(model.related)
    return (related + pending.objects(replacedBy: model)).filter(\.isMarkedDeleted)
  }

  /// Adds an object to the other ends of its relationships again, after delete rules had removed
  /// it.
  ///
  /// A to-one relationship of another object that refers to a third one refers to this one again, or
  /// keeps its object if `isYielding`.
  func rejoin(_ model: any PersistentModel, isYielding: Bool = false) {
    guard let registration = model.registration else { return }
    var members = LoadedMembers(related)
    defer { related.clear() }
    for index in registration.relationshipIndices {
      guard let inverse = registration.inverses[index] else { continue }
      for other in model.related(at: index) where !other.isMarkedDeleted {
        if isYielding, !other.isToMany(inverse),
          other.related(at: inverse).contains(where: { $0 !== model })
        {
          model.leave(other, at: index)
          continue
        }
        adoptInverse(of: model, at: index, inverse, other, &members)
      }
    }
  }

  /// Adds an object whose relationship was restored to the to-many relationships at its other end, some
  /// of which were loaded without it.
  func rejoinLists(_ model: any PersistentModel, at index: Int) {
    guard isMember(model), let inverse = model.inverseIndex(of: index) else { return }
    if model._$state.flags.contains(.outdated) { model.readOutdated() }
    let isChanged = isNew(model) || model.dirtyIndices.contains(index)
    for other in model.related(at: index) where isMember(other) && other.isToMany(inverse) {
      if !isChanged {
        other.forgetMemberChanges(at: inverse, of: model)
      } else if !other.isLinked(to: model, at: inverse) {
        other.join(model, at: inverse, forward: index)
      }
    }
  }

  /// Registers a new object with everything that it references.
  ///
  /// - Parameters:
  ///   - root: The object.
  ///   - owner: The relationship that was set to the object, if that is why it is inserted. It is not
  ///     searched for the object: a program that appends in a loop would wait for that each time.
  func insertGraph(_ root: any PersistentModel, from owner: LoadedMembers.Relationship? = nil) {
    guard let registration = register(new: root), registration.hasRelationships else { return }
    // First in, first out: the elements of a relationship get their keys in its order. Mostly all are
    // registered already, and no list is needed.
    var open: [OpenModel] = []
    var next = 0
    var members = LoadedMembers(related, containing: root, in: owner)
    defer { related.clear() }
    adoptInverses(of: root, registration, back: nil, &open, &members)
    while next < open.count {
      let (model, back) = open[next]
      next += 1
      guard let registration = register(new: model), registration.hasRelationships else { continue }
      adoptInverses(of: model, registration, back: back, &open, &members)
    }
    guard hasEnded else { return }
    for model in [root] + open.map(\.model) {
      for index in model.registration?.relationshipIndices ?? [] { model.unloadIfEnded(index) }
    }
  }

  /// An object to be registered, and the relationship by which it refers back.
  private typealias OpenModel = (model: any PersistentModel, back: Int?)

  /// Ensures that the other ends of all relationships of a new object refer to it, and adds those that
  /// are to be registered.
  private func adoptInverses(
    of model: any PersistentModel,
    _ registration: EntityRegistration,
    back: Int?,
    _ open: inout [OpenModel],
    _ members: inout LoadedMembers
  ) {
    for index in registration.relationshipIndices {
      // It refers to the object from which the walk came, or to another from which it came too.
      if index == back, !registration.isToMany[index] { continue }
      model.mergePendingMembers(index)
      guard related.read(index, of: model) else { continue }
      let inverse = registration.inverses[index]
      if let target = related.target, !target.isGone {
        if target._$state.registration == nil { open.append((target, inverse)) }
        adoptInverse(of: model, at: index, inverse, target, &members)
      } else {
        for other in model.present(related.objects, at: index) {
          if other._$state.registration == nil { open.append((other, inverse)) }
          adoptInverse(of: model, at: index, inverse, other, &members)
        }
      }
    }
  }

  /// Ensures that the other end refers to an object whose relationship was set before its
  /// insertion.
  private func adoptInverse(
    of model: any PersistentModel,
    at index: Int,
    _ inverse: Int?,
    _ other: any PersistentModel,
    _ members: inout LoadedMembers
  ) {
    guard let inverse else {
      if case .claim(let inverse, let siblings)? = model.sharedInverse(of: index) {
        other.join(model, at: inverse, claims: siblings + [index])
      }
      return
    }
    guard !members.contain(model, at: inverse, of: other) else { return }
    other.join(model, at: inverse, forward: index)
    members.add(model, at: inverse, of: other)
  }

  /// Registers a new object, unless it is in a context already, and returns its registration.
  func register(new model: any PersistentModel) -> EntityRegistration? {
    if let registration = model.registration {
      if registration.context !== self { noteForeign(model, "inserted or related") }
      return nil
    }
    if !bulkChanges.isEmpty { try? BulkChanges(in: self).carryOut() }
    guard let registration = registration(for: type(of: model)) else {
      problems.append(
        .modelValidationFailure.with(
          "the container's schema lacks this model; name it when you create the container",
          entity: ModelLayout.of(type(of: model)).entityName
        )
      )
      return nil
    }
    if objects.recordsChanges { willInsert(model) }
    model._$state.enter(registration)
    if model._$state.flags.contains(.observed) { objects.noteObserved(model) }
    note(.inserted, of: model)
    changeHappened()
    return registration
  }

  /// Marks an object for removal at the next save; a new one is only unregistered.
  func delete<T>(_ model: T) where T: PersistentModel {
    guard isMember(model) else { return noteForeign(model, "deleted") }
    let replaced = pending.replaced.isEmpty ? [] : objectsStillReplaced(by: model)
    markDeleted(model)
    for other in replaced { markDeleted(other, .successor(model)) }
  }

  /// Lets the next save throw if an object belongs to another context.
  private func noteForeign(_ model: any PersistentModel, _ action: String) {
    guard let registration = model.registration else { return }
    problems.append(
      .modelValidationFailure.with(
        "\(model.persistentModelID) of another context was \(action); fetch it by its identifier "
          + "in this context first",
        entity: registration.entity.name
      )
    )
  }

  /// Returns the objects in place of which the last fetch returned a new one, and which it would
  /// still update.
  private func objectsStillReplaced(by model: any PersistentModel) -> [any PersistentModel] {
    let replaced = pending.objects(replacedBy: model).filter(isMember)
    if replaced.isEmpty || !model._$state.flags.contains(.inserted) { return [] }
    let merges = PendingMerges(
      of: PendingUniqueValues(of: replaced.filter(isNew) + [model], in: self),
      into: replaced.filter { !isNew($0) },
      in: self
    )
    return merges.predecessors(of: model)
  }

  /// Whether an object was inserted and not saved yet.
  func isNew(_ model: any PersistentModel) -> Bool { model._$state.flags.contains(.inserted) }

  /// Marks an object for removal, for the program or because another object is deleted.
  func markDeleted(_ model: any PersistentModel, _ cause: DeletionCause = .program) {
    note { $0.note(cause, of: model) }
    guard !model._$state.flags.contains(.deleted) else { return }
    undo?.willDelete(model, contents: model.loadedContent)
    updater?.noteMembershipChange(of: model)
    model._$state.flags.insert(.deleted)
    note { $0.delete(model) }
    changeHappened()
  }

  /// Drops new objects, restores changed ones, and keeps those that were marked for deletion.
  func rollback() {
    undo?.clear()
    updater?.noteEverything()
    existingSaver?.indeterminate?.isRolledBack = true
    let inserted = pending.inserted + pending.forgotten
    for model in pending.all where model._$state.flags.contains(.deleted) {
      model._$state.flags.remove(.deleted)
    }
    for model in pending.all where model._$state.flags.contains(.changed) {
      model.restoreOriginals()
    }
    unloadTouched()
    for model in inserted { model.detach() }
    for model in inserted { model.releaseRelated { $0.registration != nil } }
    pending = PendingChanges()
    bulkChanges = []
    existingSaver?.forgetReaders()
    problems = []
    loader.unread.clear()
    if feed.hasOutdatedLists { feed.unloadToMany() }
    feed.noteRemovals()
  }

  /// Drops all objects and all changes.
  func reset() {
    undo?.clear()
    updater?.noteEverything()
    let unsaved = pending.inserted + pending.forgotten
    let registered = objects.all
    pending = PendingChanges()
    bulkChanges = []
    existingSaver?.indeterminate = nil
    problems = []
    loader.unread.clear()
    for model in registered { leave(model) }
    for model in unsaved { leave(model) }
    // Otherwise the objects of a long chain would be released recursively.
    for model in unsaved { model.releaseAllRelated() }
    for map in objects.maps { map.evictUnused { _ in true } }
  }

  /// Removes an object from the context without deleting it.
  func leave(_ model: any PersistentModel) {
    guard let registration = model.registration else { return }
    if !model._$state.flags.contains(.inserted) {
      registration.identityMap.remove(model.persistentModelID.key)
    }
    model.detach()
    model._$state.flags.remove([.deleted, .hasPendingMembers])
    model.existingExtra?.members = [:]
    model.unloadRelationships()
  }

  /// Unloads to-many relationships of saved objects that changed from their other end.
  func unloadTouched() {
    for (model, index) in pending.touched.all where !model._$state.flags.contains(.inserted) {
      model.existingExtra?.members[index] = nil
      if model.existingExtra?.members.isEmpty != false {
        model._$state.flags.remove(.hasPendingMembers)
      }
      model.notifyingObservers(of: index) {
        try? PropertySetter.put(.fault(0), into: index, of: model)
      }
    }
  }
}

extension _ModelState {
  /// Makes the state that of a new object of a registration.
  fileprivate mutating func enter(_ entered: EntityRegistration) {
    if let extra, let identifier = ownIdentifier {
      if !identifier.isTemporary { key = 0 }
      if extra.departure == nil { extra.identifier = nil } else { self.extra = nil }
    }
    if key == 0 { key = PersistentIdentifier.nextTemporaryNumber() }
    registration = entered
    flags.remove([.deleted, .vanished])
    flags.insert([.tracked, .inserted])
  }
}
