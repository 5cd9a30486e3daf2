import Foundation
import ModelRuntime
import StoreProtocol

extension ContextState {
  /// Returns the objects of identifiers, in their order, with a query's prefetched relationships.
  ///
  /// Objects that no longer exist are left out.
  func fetchedObjects<T: PersistentModel>(
    of type: T.Type,
    for identifiers: [PersistentIdentifier],
    as query: StoreQuery
  ) throws -> [T] {
    guard let registration = registration(for: type) else { return [] }
    let models: [T]
    if registration.identityMap.count == 0 || objects.hasSeenOthers, identifiers.haveAscendingKeys {
      // Their rows are in the same order, so that no object must be looked up.
      loader.faults.queryHappens()
      let own = identifiers.map { PersistentIdentifier(scope: registration.scope, key: $0.key) }
      var rows = StoreQuery.rows(own, of: registration.entity.name)
      rows.properties = query.properties
      models = try loader.objects(of: rows, from: registration)
    } else {
      let stored = identifiers.lazy.filter { !$0.isTemporary }.map(\.key)
      let keys = loader.unreadKeys(stored, registration)
      let fetched = try loader.fetchRows(
        keys,
        of: registration,
        properties: query.properties,
        trustsVersions: loader.trustsVersions
      )
      let found = Dictionary(firstOf: fetched.map { ($0.persistentModelID.key, $0) })
      models = identifiers.compactMap { identifier in
        keys.contains(identifier.key)
          ? found[identifier.key].flatMap { $0 as? T } : registeredModel(for: identifier)
      }
      registration.identityMap.noteFetched(models)
    }
    try loader.prefetch(query.prefetch, for: models, in: registration)
    return models
  }

  /// Returns one object for each identifier, in their order.
  ///
  /// It is a stand-in if the object no longer exists or cannot be read; the next save reports why.
  func objectsOrStandIns<T: PersistentModel>(
    of type: T.Type,
    for identifiers: [PersistentIdentifier],
    as query: StoreQuery
  ) -> [T] {
    var found: [PersistentIdentifier: T] = [:]
    do {
      let models = try loader.toleratingUnreadable {
        try fetchedObjects(of: type, for: identifiers, as: query)
      }
      for model in models {
        found[model.persistentModelID] = model
      }
    } catch {
      problems.append(
        .modelValidationFailure.with(
          "a batch of fetched objects could not be read; fetch them again",
          entity: Schema.entityName(for: type),
          cause: error
        )
      )
    }
    return identifiers.map { identifier in
      if let model = found[identifier] { return model }
      guard let standIn = MissingObjects.object(of: type, identifier: identifier) else {
        preconditionFailure(
          "An object of \(type) was removed before it was read, and there are no placeholders for "
            + "its values; give its properties default values."
        )
      }
      return standIn
    }
  }

  /// Returns the object of an identifier if it is registered in the context.
  func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T?
  where T: PersistentModel {
    registeredModel(persistentModelID, at: entry(of: persistentModelID)) as? T
  }

  /// Returns the object of an identifier: the registered one, else the stored one, else a stand-in.
  func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    let entry = entry(of: persistentModelID)
    if let model = registeredModel(persistentModelID, at: entry) { return model }
    if let entry, entry.isOfStore {
      do {
        let row = try loader.toleratingUnreadable {
          try loader.readRow(persistentModelID.key, of: entry.registration)
        }
        if let row { return row }
      } catch {
        problems.append(
          .modelValidationFailure.with(
            "\(persistentModelID) could not be read, and changes of its stand-in are lost; roll "
              + "back, and get the object again",
            entity: persistentModelID.entityName,
            cause: error
          )
        )
      }
    }
    guard let type = entry?.registration.layout.type ?? core.schema.modelTypes.values.first,
      let standIn = MissingObjects.object(of: type, identifier: persistentModelID)
    else {
      preconditionFailure("The container's schema has no model for an identifier.")
    }
    return standIn
  }

  /// Returns a search for objects of identifiers: new ones, registered ones, and stored ones, whose
  /// rows are read.
  func relatedObjects(inserted: [any PersistentModel]) -> RelatedObjects.Search {
    var new: [PersistentIdentifier: any PersistentModel]?
    return { [weak self] identifiers in
      guard let self else { return [] }
      let known = new ?? Dictionary(firstOf: inserted.map { ($0.persistentModelID, $0) })
      new = known
      var found: [any PersistentModel] = []
      var missing: [String: Set<PersistentIdentifier.Key>] = [:]
      for identifier in identifiers {
        if identifier.isTemporary {
          if let model = known[identifier] { found.append(model) }
        } else if let entry = entry(of: identifier), entry.isOfStore {
          if let model = registeredModel(identifier, at: entry) {
            found.append(model)
          } else {
            missing[identifier.entityName, default: []].insert(identifier.key)
          }
        }
      }
      for (entity, keys) in missing {
        guard let registration = registration(named: entity) else { continue }
        found += try loader.fetchRows(keys, of: registration, isCounted: false)
      }
      return found
    }
  }

  private func registeredModel(
    _ identifier: PersistentIdentifier,
    at entry: IdentifierRegistration?
  ) -> (any PersistentModel)? {
    guard let entry else { return nil }
    let registration = entry.registration
    if let number = identifier.temporaryNumber {
      return pending.inserted(number).flatMap { $0.registration === registration ? $0 : nil }
    }
    return entry.isOfStore ? registration.identityMap.model(for: identifier.key) : nil
  }
}

extension [PersistentIdentifier] {
  /// Whether all have integer keys, each greater than the one before.
  fileprivate var haveAscendingKeys: Bool {
    var last = Int64.min
    return allSatisfy { identifier in
      guard let key = identifier.integerKey, key > last else { return false }
      last = key
      return true
    }
  }
}
