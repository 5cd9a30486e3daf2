import ModelRuntime
import StoreProtocol

extension ContextState {
  /// Registers a new object, and all objects that it refers to, for the next save.
  func insert<T>(_ model: T) where T: PersistentModel {
    if model._$state.flags.contains(.deleted), isMember(model) {
      let isRuled = !pending.unruled.contains { $0 === model }
      undelete(model)
      if isRuled { rejoin(model) }
      return
    }
    insertGraph(model)
  }

  /// Adds an object to the other ends of its relationships again, after delete rules had removed
  /// it.
  private func rejoin(_ model: any PersistentModel) {
    guard let registration = model.registration else { return }
    var members = LoadedMembers()
    for index in registration.relationshipIndices where registration.inverses[index] != nil {
      let others = model.related(at: index).filter { !$0.isMarkedDeleted }
      for other in others {
        adoptInverse(of: model, at: index, registration.inverses[index], other, &members)
      }
    }
  }

  /// Registers a new object with everything that it references.
  func insertGraph(_ root: any PersistentModel) {
    guard let registration = register(new: root), registration.hasRelationships else { return }
    // First in, first out: the elements of a relationship get their keys in its order. Each object
    // comes with the relationship by which it refers back.
    var open: [(model: any PersistentModel, back: Int?)] = [(root, nil)]
    var next = 0
    var members = LoadedMembers()
    let related = RelatedReader()
    while next < open.count {
      let (model, back) = (open[next].model, open[next].back)
      let registered = next == 0 ? registration : register(new: model)
      next += 1
      guard let registration = registered, registration.hasRelationships else { continue }
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
    guard hasEnded else { return }
    for (model, _) in open {
      for index in model.registration?.relationshipIndices ?? [] { model.unloadIfEnded(index) }
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
      if registration.context !== self {
        problems.append(
          .modelValidationFailure.with(
            "an object of another context was inserted or related; fetch it by its identifier in "
              + "this context first",
            entity: registration.entity.name
          )
        )
      }
      return nil
    }
    try? carryOutBulkChanges()
    guard let registration = registration(for: type(of: model)) else {
      problems.append(
        .modelValidationFailure.with(
          "the container's schema lacks this model; name it when you create the container",
          entity: ModelLayout.of(type(of: model)).entityName
        )
      )
      return nil
    }
    willInsert(model)
    model._$state.enter(registration)
    note(.inserted, of: model)
    changeHappened()
    return registration
  }

  /// Marks an object for removal at the next save; a new one is only unregistered.
  func delete<T>(_ model: T) where T: PersistentModel {
    guard isMember(model) else { return }
    markDeleted(model)
  }

  /// Marks an object for removal, for the program or by the delete rule of another object.
  func markDeleted(_ model: any PersistentModel, byRule: Bool = false) {
    if !byRule { pending.noteProgramDeletes(model) }
    guard !model._$state.flags.contains(.deleted) else { return }
    undo?.willDelete(model, contents: model.loadedContent)
    updater?.noteMembershipChange(of: model)
    model._$state.flags.insert(.deleted)
    pending.delete(
      model,
      hasRules: model.registration?.hasRelationships == true,
      byRule: byRule
    )
    changeHappened()
  }

  /// Whether there is anything to save.
  var hasChanges: Bool { !bulkChanges.isEmpty || !pending.isEmpty }

  /// Adds the position of a reader of the history to the next save.
  func note(_ position: HistoryReaderPosition, of backend: any StoreBackend) {
    var positions = readers[ObjectIdentifier(backend)] ?? []
    positions.removeAll { $0.name == position.name }
    readers[ObjectIdentifier(backend)] = positions + [position]
  }

  /// Drops new objects, restores changed ones, and keeps those that were marked for deletion.
  func rollback() {
    undo?.clear()
    updater?.noteEverything()
    indeterminateSave?.isRolledBack = true
    let inserted = pending.inserted + pending.forgotten
    for model in pending.all where model._$state.flags.contains(.deleted) {
      model._$state.flags.remove(.deleted)
    }
    for model in pending.all where model._$state.flags.contains(.changed) {
      model.restoreOriginals()
    }
    for (model, index) in pending.touched where !model._$state.flags.contains(.inserted) {
      model.existingExtra?.members[index] = nil
      if model.existingExtra?.members.isEmpty != false {
        model._$state.flags.remove(.hasPendingMembers)
      }
      model.notifyingObservers(of: index) {
        try? ContentReader.put(.fault(0), into: index, of: model)
      }
    }
    for model in inserted { model.detach() }
    for model in inserted { model.releaseRelated { $0.registration != nil } }
    pending = PendingChanges()
    bulkChanges = []
    readers = [:]
    problems = []
    unread.clear()
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
