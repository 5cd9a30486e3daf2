import ModelRuntime
import StoreProtocol

extension PersistentModel {
  /// Loads a relationship that is a fault, together with those of the objects that were fetched
  /// with it.
  func loadFault(_ index: Int) {
    guard hasFault(at: index), let registration else { return }
    let loader = registration.context.loader
    do {
      try loader.faults.touching(registration.entity, index) {
        if registration.entity.properties[index].isToMany {
          try loader.loadMembers(index, around: self, in: registration)
        } else {
          try loader.loadTarget(index, of: self, in: registration)
        }
      }
    } catch {
      loader.unread.note(self, index, error)
      loader.faultFailed(error, entity: registration.entity, index: index)
    }
  }

  /// Whether a property is a relationship of a stored row that was not loaded.
  func hasFault(at index: Int) -> Bool {
    guard let registration, registration.isRelationship[index] else { return false }
    if _$state.flags.contains(.inserted), registration.isToMany[index] { return false }
    return registration.context.loader.probe.fault(at: index, of: self) != nil
  }
}

extension RowLoader {
  /// Loads the object of a to-one relationship, and those of the objects that were fetched with it.
  fileprivate func loadTarget(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) throws {
    guard let target = registration.destination(of: index),
      let wanted = reference(index, of: model)
    else { return }
    let isAlone =
      model._$state.flags.contains(.inserted) || target.identityMap.model(for: wanted) != nil
    let models = isAlone ? [model] : batch(around: model, in: registration)
    try loadTargets(index, of: models, in: registration, read: model)
  }

  /// Loads the objects of a to-one relationship of some objects with one query.
  ///
  /// The relationship of `model` is the one that is being read, if there is one. Objects that are
  /// registered are not read.
  func loadTargets(
    _ index: Int,
    of models: [any PersistentModel],
    in registration: EntityRegistration,
    read model: (any PersistentModel)? = nil
  ) throws {
    guard let target = registration.destination(of: index) else { return }
    let faults = models.compactMap { model in
      reference(index, of: model).map { (model: model, key: $0) }
    }
    let missing = Set(faults.lazy.map(\.key).filter { target.identityMap.model(for: $0) == nil })
    let fetched = try fetchRows(missing, of: target)
    defer { withExtendedLifetime(fetched) {} }
    let loading = RelationshipLoading(index, in: registration, read: model)
    for fault in faults {
      if let found = target.identityMap.model(for: fault.key) {
        let isNew = missing.contains(fault.key)
        try loading.put([found], into: fault.model, areNew: isNew)
      } else {
        try putAbsent(index, of: fault.model, in: registration)
      }
    }
    target.identityMap.noteFetched(fetched)
  }

  private func putAbsent(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) throws {
    guard registration.entity.properties[index].isOptional else { return }
    try PropertySetter.put(.models([]), into: index, of: model, entity: registration.entity)
  }

  /// Returns the key of a to-one fault.
  private func reference(
    _ index: Int,
    of model: any PersistentModel
  ) -> PersistentIdentifier.Key? {
    guard let key = probe.fault(at: index, of: model), key != 0 else { return nil }
    return key == .min ? model.existingExtra?.references[index]?.key : .integer(key)
  }

  /// Loads the objects of a to-many relationship, and those of the objects that were fetched with
  /// it.
  fileprivate func loadMembers(
    _ index: Int,
    around model: any PersistentModel,
    in registration: EntityRegistration
  ) throws {
    let isAlone = registration.identityMap.loadsAlone
    let models = isAlone ? [model] : batch(around: model, in: registration)
    let owners = models.filter { $0.hasFault(at: index) }
    try loadMembers(index, of: owners, in: registration, read: model)
  }

  /// Loads the objects of a to-many relationship of some objects.
  ///
  /// The relationship of `model` is the one that is being read, if there is one.
  func loadMembers(
    _ index: Int,
    of owners: [any PersistentModel],
    in registration: EntityRegistration,
    read model: (any PersistentModel)? = nil
  ) throws {
    guard !owners.isEmpty, let target = registration.destination(of: index) else { return }
    faults.queryHappens()
    let owners = Self.withoutRepeats(owners)
    if context.hasEnded { target.identityMap.newcomers = [] }
    defer { if context.hasEnded { target.identityMap.newcomers = nil } }
    let groups = try MemberGroups(index, of: owners, in: registration, target)
    let newcomers = context.hasEnded ? target.identityMap.newcomers : nil
    let loading = RelationshipLoading(index, in: registration, read: model)
    let inverse = registration.inverses[index]
    let isDerived = registration.entity.properties[index].isDerivedToMany
    var newCount = 0
    for (owner, members) in zip(owners, groups) {
      let members = isDerived ? withoutLeavers(members, index, of: owner, inverse) : members
      let areNew =
        newcomers.map { new in members.allSatisfy { new.contains(ObjectIdentifier($0)) } } ?? true
      if areNew { newCount += 1 }
      try loading.put(members, into: owner, areNew: areNew)
    }
    if context.hasEnded { registration.identityMap.loadsAlone = newCount * 2 < owners.count }
    target.identityMap.noteFetched(groups.all)
  }

  /// Returns the members of an owner's row without those that unsaved changes take away.
  ///
  /// Without these changes, the relationship is read again. A list that its own row contains is not
  /// treated so: its stored value is the base of its changes. Nor is that of a deleted owner, whose
  /// delete rules and undoing begin with its stored members.
  private func withoutLeavers(
    _ members: ArraySlice<any PersistentModel>,
    _ index: Int,
    of owner: any PersistentModel,
    _ inverse: Int?
  ) -> ArraySlice<any PersistentModel> {
    if owner.isMarkedDeleted { return members }
    // One that the owner knows of is among its noted changes, if they are not applied yet.
    let hasNotes = owner.existingExtra?.members[index] != nil
    let left = { (model: any PersistentModel) in
      guard model.hasLeft(owner, inverse) else { return false }
      return hasNotes || inverse.map { !model.wasRelated(to: owner, at: $0) } ?? true
    }
    guard members.contains(where: left) else { return members }
    context.note(.touched(index), of: owner)
    return members.filter { !left($0) }[...]
  }

  /// Returns objects without repetitions: an object with several owners was read with each of them.
  private static func withoutRepeats(_ models: [any PersistentModel]) -> [any PersistentModel] {
    let keys = models.lazy.map(\._$state.key)
    if zip(keys, keys.dropFirst()).allSatisfy(<) { return models }
    var seen: Set<ObjectIdentifier> = []
    return models.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// Returns the objects that a store has listed for each owner.
  func objects(
    in found: StoreMembers,
    of owners: [PersistentIdentifier],
    _ target: EntityRegistration
  ) throws -> [[any PersistentModel]] {
    guard case .listed(let members) = found else { return [] }
    // In the count of queries, a relationship is one query on every store.
    let fetched = try fetchRows(
      unreadKeys(members.values.joined().lazy.map(\.key), target),
      of: target,
      trustsVersions: trustsVersions,
      isCounted: false
    )
    defer { withExtendedLifetime(fetched) {} }
    return owners.map { owner in
      (members[owner] ?? []).compactMap { target.identityMap.model(for: $0.key) }
    }
  }

  /// Returns the object with those of its entity that were fetched with it, up to the number that
  /// is loaded together.
  func batch(
    around model: any PersistentModel,
    in registration: EntityRegistration
  ) -> [any PersistentModel] {
    registration.identityMap.batch(around: model).filter { other in
      other._$state.registration === registration && !other._$state.flags.contains(.inserted)
    }
  }

  /// Keeps an error of reading a relationship for the next save, since a read cannot throw.
  func faultFailed(_ error: any Error, entity: StoreEntity, index: Int) {
    context.problems.append(
      .modelValidationFailure.with(
        "the relationship could not be loaded; it was returned as empty",
        entity: entity.name,
        property: entity.properties[index].name,
        cause: error
      )
    )
  }
}

/// Puts loaded objects into a relationship.
///
/// After a context has ended, only the program and other objects keep its objects, which therefore
/// must not form reference cycles. Each keeps only objects that were loaded for it and are newer
/// than itself. Objects that existed before are present for one read only.
private struct RelationshipLoading {
  private let index: Int
  private let setter: PropertySetter
  private let hasEnded: Bool
  private let read: (any PersistentModel)?

  init(_ index: Int, in registration: EntityRegistration, read: (any PersistentModel)?) {
    self.index = index
    self.read = read
    hasEnded = registration.context.hasEnded
    setter = PropertySetter(entity: registration.entity)
  }

  func put(
    _ objects: ArraySlice<any PersistentModel>,
    into owner: any PersistentModel,
    areNew: Bool
  ) throws {
    if !hasEnded || areNew { return try setter.put(objects, into: index, of: owner) }
    guard owner === read else { return }
    try setter.put(objects, into: index, of: owner)
    owner._$state.flags.insert(.temporary)
  }
}
