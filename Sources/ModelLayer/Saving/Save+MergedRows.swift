import ModelRuntime
import StoreProtocol

extension Save {
  /// Updates objects in memory to the rows that new objects were merged into.
  ///
  /// The objects of these rows get the stored values. References to objects that left are replaced;
  /// these release their own related objects.
  ///
  /// - Parameters:
  ///   - registration: Returns the registration of an entity.
  ///   - fetch: Reads the objects of some keys.
  /// - Throws: Errors of the store if the rows cannot be read.
  func followMerges(
    _ registration: (String) -> EntityRegistration?,
    fetch: (Set<PersistentIdentifier.Key>, EntityRegistration) throws -> [any PersistentModel]
  ) throws {
    defer { for (model, _) in left { model.releaseAllRelated() } }
    var survivors: [any PersistentModel] = []
    let taken = Set(left.map(\.became))
    for (name, rows) in Dictionary(grouping: taken, by: \.entityName) {
      guard let registration = registration(name) else { continue }
      // Their values are not those of their rows, whatever their versions say.
      for row in rows { registration.identityMap.model(for: row.key)?._$state.version = 0 }
      survivors += try fetch(Set(rows.map(\.key)), registration)
    }
    for row in mergedRows where !taken.contains(row) {
      if let model = registration(row.entityName)?.identityMap.model(for: row.key) {
        survivors.append(model)
      }
    }
    let byIdentifier = Dictionary(firstOf: survivors.map { ($0.persistentModelID, $0) })
    let successors = Dictionary(
      firstOf: left.compactMap { entry in
        byIdentifier[entry.became].map { (ObjectIdentifier(entry.model), $0) }
      }
    )
    for model in inserted + changed { model.lead(to: successors) }
    loosen(survivors)
  }

  /// Removes the survivors from one-to-one relationships of objects that they no longer refer to.
  private func loosen(_ survivors: [any PersistentModel]) {
    for (registration, survivors) in Dictionary(grouping: survivors, by: \.registration) {
      guard let registration else { continue }
      for (index, property) in registration.entity.properties.enumerated() where property.isToOne {
        guard let relationship = property.relationship, relationship.inverseIsToOne,
          let inverse = registration.inverses[index],
          let others = registration.registration(named: relationship.destination)
        else { continue }
        let counterparts = Dictionary(
          firstOf: survivors.map { ($0.persistentModelID.key, $0.reference(at: index)) }
        )
        for other in others.identityMap.models {
          guard let held = other.reference(at: inverse), let counterpart = counterparts[held],
            counterpart != other.persistentModelID.key
          else { continue }
          try? PropertySetter.put(.models([]), into: inverse, of: other)
        }
      }
    }
  }
}

extension PersistentModel {
  /// Replaces references to objects that left the context by references to their successors.
  fileprivate func lead(to successors: [ObjectIdentifier: any PersistentModel]) {
    guard let registration, !successors.isEmpty else { return }
    for (index, property) in registration.entity.properties.enumerated() where property.isToOne {
      guard let target = loadedObjects(at: index).first,
        let successor = successors[ObjectIdentifier(target)]
      else { continue }
      try? PropertySetter.put(.models([successor]), into: index, of: self)
    }
  }

  /// Returns the key that a to-one relationship refers to, loaded or not.
  func reference(at index: Int) -> PersistentIdentifier.Key? {
    PropertyReader.content(of: index, in: self).key
  }
}

extension PropertyContent {
  /// The key that a to-one relationship refers to.
  var key: PersistentIdentifier.Key? {
    switch self {
    case .models(let models): models.first?.persistentModelID.key
    case .reference(let identifier): identifier.key
    case .fault(let key) where key != 0: .integer(key)
    default: nil
    }
  }
}
