import ModelRuntime
import StoreProtocol

extension RowLoader {
  /// Loads the relationships that a descriptor names, each at once for all objects.
  func prefetch(
    _ names: [String],
    for models: [any PersistentModel],
    in registration: EntityRegistration
  ) throws {
    for name in names {
      guard let index = registration.layout.index(named: name), registration.isRelationship[index]
      else {
        throw SwiftDataError.unsupportedKeyPath.with(
          "a key path for prefetching names an attribute; name a relationship",
          entity: registration.entity.name,
          property: name
        )
      }
      if registration.entity.properties[index].isToMany {
        try loadMembers(index, of: models.filter { $0.hasFault(at: index) }, in: registration)
      } else {
        let targets = try currentTargets(of: index, of: models, in: registration)
        defer { withExtendedLifetime(targets) {} }
        try loadTargets(index, of: models.filter { $0.hasFault(at: index) }, in: registration)
      }
    }
  }

  /// Reads the stored objects of a to-one relationship that are not registered, or that others may
  /// have changed.
  private func currentTargets(
    of index: Int,
    of models: [any PersistentModel],
    in registration: EntityRegistration
  ) throws -> [any PersistentModel] {
    guard let target = registration.destination(of: index) else { return [] }
    let keys = models.lazy.compactMap { $0.reference(at: index) }.filter(\.isStored)
    return try fetchRows(unreadKeys(keys, target), of: target, trustsVersions: trustsVersions)
  }
}

extension PersistentIdentifier.Key {
  /// Whether it is the key of a row.
  fileprivate var isStored: Bool {
    if case .temporary = self { false } else { true }
  }
}
