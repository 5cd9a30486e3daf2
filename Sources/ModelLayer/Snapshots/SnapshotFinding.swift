import ModelRuntime
import QueryEvaluation
import StoreProtocol

struct SnapshotFinding {
  private let context: ContextState
  private let schema: StoreSchema
  /// The objects that were read by identifier, held for the duration of the search.
  private var read: [PersistentIdentifier: any PersistentModel] = [:]
  /// The unsaved new objects by their unique values, collected on first use.
  private var unsaved: [StoreConstraint: [GroupKey: any PersistentModel]]?

  init(in context: ContextState) {
    self.context = context
    schema = context.core.schema.storeSchema
  }

  /// Reads objects, one query per entity; those of other stores and those that no longer exist are
  /// not found.
  mutating func read(_ identifiers: Set<PersistentIdentifier>) throws {
    let groups = Dictionary(grouping: identifiers.filter { !$0.isTemporary }, by: \.entityName)
    for (name, group) in groups.sorted(by: { $0.key < $1.key }) {
      guard let registration = context.registration(named: name) else { continue }
      let own = group.filter { $0.storeIdentifier == registration.store.identifier }
      let models = try context.loader.fetchRows(Set(own.map(\.key)), of: registration)
      let byKey = Dictionary(firstOf: models.map { ($0.persistentModelID.key, $0) })
      for identifier in own { read[identifier] = byKey[identifier.key] }
    }
  }

  /// Returns the object of a record's identifier.
  func model(identifiedBy record: SnapshotRecord) -> (any PersistentModel)? {
    guard let identifier = record.identifier else { return nil }
    guard let number = identifier.temporaryNumber else { return read[identifier] }
    return context.pending.inserted(number).flatMap {
      $0.persistentModelID == identifier ? $0 : nil
    }
  }

  /// Returns the object of an identifier that was not read before.
  mutating func model(stored identifier: PersistentIdentifier) throws -> (any PersistentModel)? {
    if read[identifier] == nil { try read([identifier]) }
    return read[identifier].flatMap { $0.isDeleted ? nil : $0 }
  }

  /// Returns the object with the unique values of a record.
  mutating func model(
    like record: SnapshotRecord,
    _ targets: [Int: [any PersistentModel]],
    _ registration: EntityRegistration
  ) throws -> (any PersistentModel)? {
    for constraint in schema.constraints(of: registration.entity) {
      guard let values = Self.values(constraint, of: record, targets, registration.entity) else {
        continue
      }
      if let found = try unsavedModel(constraint, values) { return found }
      if let found = try PendingUniqueValues.stored(constraint, values, in: context).first {
        return found
      }
    }
    return nil
  }

  /// Notes the unique values of an object that was created or changed.
  mutating func note(_ model: any PersistentModel) {
    guard model._$state.flags.contains(.inserted), unsaved != nil,
      let row = LiveEvaluation(context: context).row(of: model)
    else { return }
    for constraint in schema.constraints(of: row.entity) {
      guard let values = PendingUniqueValues.values(constraint, of: row) else { continue }
      unsaved?[constraint, default: [:]][GroupKey(values)] = model
    }
  }

  private mutating func unsavedModel(
    _ constraint: StoreConstraint,
    _ values: [StoreValue]
  ) throws -> (any PersistentModel)? {
    if unsaved == nil {
      unsaved = [:]
      for model in context.pending.inserted { note(model) }
    }
    let key = GroupKey(values)
    guard let found = unsaved?[constraint]?[key], !found.isDeleted,
      let row = LiveEvaluation(context: context).row(of: found)
    else { return nil }
    // Its values may have changed since they were noted.
    return PendingUniqueValues.values(constraint, of: row).map(GroupKey.init) == key ? found : nil
  }

  /// Returns the values of a constraint, or `nil` if one is unknown or equals no other value.
  private static func values(
    _ constraint: StoreConstraint,
    of record: SnapshotRecord,
    _ targets: [Int: [any PersistentModel]],
    _ entity: StoreEntity
  ) -> [StoreValue]? {
    let values = constraint.properties.compactMap { name -> StoreValue? in
      guard let index = entity.indexByName[name] else { return nil }
      if let target = targets[index]?.first { return .identifier(target.persistentModelID) }
      switch record.contents[index] {
      case .value(let value): return value
      case .absent, .refused, .unfollowed, .objects: return nil
      }
    }
    guard values.count == constraint.properties.count else { return nil }
    return values.allSatisfy { !$0.isNull && $0.isEqual(to: $0) } ? values : nil
  }
}
