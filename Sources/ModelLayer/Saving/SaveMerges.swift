import ModelRuntime
import StoreProtocol

/// The updates in memory that a save makes if new objects became updates of stored ones.
struct SaveMerges {
  private var rows: Set<PersistentIdentifier> = []
  private var left: [(model: any PersistentModel, became: PersistentIdentifier)] = []

  /// Notes a row that a new object was merged into.
  mutating func note(_ row: PersistentIdentifier) { rows.insert(row) }

  /// Notes a new object that left the context, because the row has another object.
  mutating func note(_ model: any PersistentModel, became row: PersistentIdentifier) {
    left.append((model, row))
    rows.insert(row)
  }

  /// The new objects that left the context.
  var leftModels: [any PersistentModel] { left.map(\.model) }

  /// Loads the stored values into the objects of the rows, and replaces references to objects that
  /// left, which release their own related objects.
  ///
  /// - Parameters:
  ///   - batch: The batch that was saved.
  ///   - registration: Returns the registration of an entity.
  ///   - fetch: Reads the objects of some keys.
  /// - Throws: Errors of the store if the rows cannot be read.
  func finish(
    _ batch: SavePlan.Batch,
    _ registration: (String) -> EntityRegistration?,
    fetch: (Set<PersistentIdentifier.Key>, EntityRegistration) throws -> [any PersistentModel]
  ) throws {
    guard !rows.isEmpty else { return }
    defer { for model in leftModels { model.releaseAllRelated() } }
    var survivors: [any PersistentModel] = []
    let taken = Set(left.map(\.became))
    for (name, rows) in Dictionary(grouping: taken, by: \.entityName) {
      guard let registration = registration(name) else { continue }
      // Their values are not those of their rows, whatever their versions say.
      for row in rows { registration.identityMap.model(for: row.key)?._$state.version = 0 }
      survivors += try fetch(Set(rows.map(\.key)), registration)
    }
    for row in rows where !taken.contains(row) {
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
    for model in batch.inserted + batch.changed { model.lead(to: successors) }
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
    switch PropertyReader.content(of: index, in: self) {
    case .models(let models): models.first?.persistentModelID.key
    case .reference(let identifier): identifier.key
    case .fault(let key) where key != 0: .integer(key)
    default: nil
    }
  }
}
