import StoreProtocol

extension ContextState {
  /// Reads rows into objects: registered ones are refreshed, new ones created and registered.
  ///
  /// With `trustsVersions`, an object of its row's version is assumed to have the row's values, so
  /// that these are not read.
  func read(
    _ query: StoreQuery,
    as request: (any FetchRequest)? = nil,
    from registration: EntityRegistration,
    trustsVersions: Bool = false,
    _ body: (any PersistentModel) throws -> Void
  ) throws {
    try carryOutBulkChanges()
    let refresh = trustsVersions ? ObjectMaterializer.Refresh.outdated : .all
    var materializer = ObjectMaterializer(query.properties, of: registration, refresh: refresh)
    let countBefore = objects.count
    try registration.backend.read(query, as: request) { try body(try materializer.model(of: $0)) }
    evictIfCrowded(except: objects.count - countBefore)
  }

  /// Returns the objects of a type in the result of a query, in its order.
  func objects<T: PersistentModel>(
    of query: StoreQuery,
    as request: (any FetchRequest)? = nil,
    from registration: EntityRegistration,
    trustsVersions: Bool = false
  ) throws -> [T] {
    let objects = ObjectBuffer()
    // One runtime check per type is enough.
    var cachedType: ObjectIdentifier?
    try read(query, as: request, from: registration, trustsVersions: trustsVersions) { model in
      let type = ObjectIdentifier(type(of: model))
      if type != cachedType {
        guard model is T else { return }
        cachedType = type
      }
      objects.append(model)
    }
    let result = objects.takeAll(as: T.self)
    registration.identityMap.noteFetched(result)
    return result
  }

  /// Returns the object of a row that is not registered yet, or `nil` if there is no such row.
  func readRow(
    _ key: PersistentIdentifier.Key,
    of registration: EntityRegistration
  ) throws -> (any PersistentModel)? {
    guard case .integer(let number) = key, let rows = registration.rowSource else {
      return try fetchRows([key], of: registration).first
    }
    if !bulkChanges.isEmpty {
      try carryOutBulkChanges()
      if let registered = registration.identityMap.model(for: key) { return registered }
    }
    faults.queryHappens()
    var found: (any PersistentModel)?
    try rows.readRow(number) { reader in
      let actual = try registration.registration(ofSingle: reader)
      var deferral = Deferral(nil, of: actual)
      let (part, missing) = deferral.look(at: reader)
      found = try actual.makeObject(for: key, from: part, lacking: missing)
    }
    evictIfCrowded(except: 1)
    return found
  }
}
