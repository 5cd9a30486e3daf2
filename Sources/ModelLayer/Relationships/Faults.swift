import StoreProtocol

extension PersistentModel {
  /// Loads a relationship that is a fault, together with those of the objects fetched along.
  func loadFault(_ index: Int) {
    guard
      let registration, registration.isRelationship[index],
      !_$state.flags.contains(.inserted),
      case .fault = ContentWriter.content(of: index, in: self)
    else { return }
    let context = registration.context
    do {
      if registration.entity.properties[index].isToMany {
        try context.loadMembers(index, of: self, in: registration)
      } else {
        try context.loadTarget(index, of: self, in: registration)
      }
    } catch {
      context.faultFailed(error, entity: registration.entity, index: index)
    }
  }
}

extension ContextState {
  /// How many objects have a relationship loaded together.
  private static let batchSize = 1_000

  /// Loads the object of a to-one relationship, and those of the objects fetched along.
  func loadTarget(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) throws {
    guard
      let destination = registration.entity.properties[index].relationship?.destination,
      let target = self.registration(named: destination),
      let wanted = Self.reference(index, of: model)
    else { return }
    var fetched: [any PersistentModel] = []
    if target.identityMap.model(for: wanted) == nil {
      let keys = batch(around: model, in: registration).compactMap { Self.reference(index, of: $0) }
      let missing = Set(keys + [wanted]).filter { target.identityMap.model(for: $0) == nil }
      fetched = try fetchRows(missing, of: target)
    }
    defer { withExtendedLifetime(fetched) {} }
    guard let found = target.identityMap.model(for: wanted) else {
      try putAbsent(index, of: model, in: registration)
      return
    }
    try ContentReader.put(.models([found]), into: index, of: model, entity: registration.entity)
  }

  private func putAbsent(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) throws {
    guard registration.entity.properties[index].isOptional else { return }
    try ContentReader.put(.models([]), into: index, of: model, entity: registration.entity)
  }

  /// The key that a to-one fault holds.
  private static func reference(
    _ index: Int,
    of model: any PersistentModel
  ) -> PersistentIdentifier.Key? {
    guard case .fault(let key) = ContentWriter.content(of: index, in: model), key != 0 else {
      return nil
    }
    return key == .min ? model.existingExtra?.references[index]?.key : .integer(key)
  }

  /// Loads the objects of a to-many relationship, and those of the objects fetched along.
  func loadMembers(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) throws {
    let property = registration.entity.properties[index]
    guard
      let destination = property.relationship?.destination,
      let target = self.registration(named: destination)
    else { return }
    let owners = batch(around: model, in: registration).filter { owner in
      if case .fault = ContentWriter.content(of: index, in: owner) { return true }
      return false
    }
    let members = try registration.backend.members(
      of: property.name,
      in: registration.entity.name,
      owners: owners.map(\.persistentModelID)
    )
    let keys = members.values.joined().map(\.key)
    let missing = Set(keys).filter { target.identityMap.model(for: $0) == nil }
    let fetched = try fetchRows(missing, of: target)
    defer { withExtendedLifetime(fetched) {} }
    var loaded: [any PersistentModel] = []
    for owner in owners {
      let found = (members[owner.persistentModelID] ?? [])
        .compactMap { target.identityMap.model(for: $0.key) }
      try ContentReader.put(.models(found), into: index, of: owner, entity: registration.entity)
      loaded += found
    }
    target.identityMap.lastFetched = loaded
    target.identityMap.faultCursor = 0
  }

  /// The object with those of its entity that were fetched after it in the same fetch.
  private func batch(
    around model: any PersistentModel,
    in registration: EntityRegistration
  ) -> [any PersistentModel] {
    let map = registration.identityMap
    let fetched = map.lastFetched
    let start =
      fetched.indices.contains(map.faultCursor) && fetched[map.faultCursor] === model
      ? map.faultCursor : fetched.firstIndex { $0 === model }
    guard let start else { return [model] }
    let end = min(start + Self.batchSize, fetched.count)
    map.faultCursor = end
    return fetched[start..<end].filter { other in
      other._$state.registration === registration && !other._$state.flags.contains(.inserted)
    }
  }

  /// Fetches rows by key and registers their objects.
  func fetchRows(
    _ keys: Set<PersistentIdentifier.Key>,
    of registration: EntityRegistration
  ) throws -> [any PersistentModel] {
    guard !keys.isEmpty else { return [] }
    let identifiers = keys.map { PersistentIdentifier(scope: registration.scope, key: $0) }.sorted()
    var result: [any PersistentModel] = []
    try read(.rows(identifiers, of: registration.entity.name), from: registration) {
      result.append($0)
    }
    return result
  }

  /// Keeps what went wrong while a relationship was read, where nothing can be thrown.
  func faultFailed(_ error: any Error, entity: StoreEntity, index: Int) {
    problems.append(
      .modelValidationFailure.with(
        "the relationship could not be loaded and read as empty",
        entity: entity.name,
        property: entity.properties[index].name,
        cause: error
      )
    )
  }
}
