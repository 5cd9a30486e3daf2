import ModelRuntime
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
    var materializer = ObjectMaterializer(
      query.properties,
      into: self,
      registration,
      refresh: refresh
    )
    let countBefore = registeredCount
    try registration.backend.read(query, as: request) { try body(try materializer.model(of: $0)) }
    evictIfCrowded(except: registeredCount - countBefore)
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
      if let registered = registration.identityMap.model(forNumber: number) { return registered }
    }
    faults.queryHappens()
    var found: (any PersistentModel)?
    try rows.readRow(number) { reader in
      let actual = try self.registration(of: reader, expected: registration)
      if actual.externals.isEmpty {
        found = try made(for: number, from: reader, lacking: [], in: actual)
      } else {
        var deferral = Deferral(nil, of: actual)
        let (part, missing) = deferral.look(at: reader)
        found = try made(for: number, from: part, lacking: missing, in: actual)
      }
    }
    evictIfCrowded(except: 1)
    return found
  }

  /// Returns the registration of the objects of a row's entity.
  fileprivate func registration(
    of reader: RowReader,
    last: EntityRegistration
  ) throws -> EntityRegistration {
    if last.entity.name == reader.entity.name { return last }
    guard let found = registration(named: reader.entity.name) else {
      throw DataStoreError(
        .schemaMismatch,
        "the store has an object of a model that the schema lacks",
        entity: reader.entity.name
      )
    }
    return found
  }

  /// Returns the registration for a single row, which is mostly of the requested entity.
  @inline(__always)
  private func registration(
    of reader: RowReader,
    expected: EntityRegistration
  ) throws -> EntityRegistration {
    if reader.isIn(expected.rowScope) { return expected }
    let found = try registration(of: reader, last: expected)
    found.rowScope = reader.scope
    return found
  }

  /// Whether an object has the values of its row, by the versions of both.
  ///
  /// A reference to a deleted row reads as `nil` without a new version.
  fileprivate func isCurrent(
    _ model: any PersistentModel,
    _ reader: RowReader,
    lacking missing: [Int],
    in registration: EntityRegistration
  ) -> Bool {
    guard missing.isEmpty, !registration.hasRelationships else { return false }
    // The fields are read one by one: a copy of the state would retain what it refers to.
    let version = model._$state.version
    return version != 0 && version == reader.version && !model._$state.flags.contains(.partial)
  }

  /// Returns a new object of a row whose key is an integer.
  fileprivate func made(
    for number: Int64,
    from reader: RowReader,
    lacking missing: [Int],
    in registration: EntityRegistration
  ) throws -> any PersistentModel {
    let made = try read(from: reader, lacking: missing, in: registration) {
      $0.enter(registration, key: number, version: $1, isRecorded: recordsChanges)
    }
    register(made, number: number, in: registration)
    return made
  }

  /// Returns a new object of a row with another kind of key.
  fileprivate func made(
    for identifier: PersistentIdentifier,
    from reader: RowReader,
    lacking missing: [Int],
    in registration: EntityRegistration
  ) throws -> any PersistentModel {
    let made = try read(from: reader, lacking: missing, in: registration) {
      $0.enter(registration, key: .min, version: $1, isRecorded: recordsChanges)
    }
    made.modelExtra.identifier = identifier
    register(made, key: identifier.key, in: registration)
    return made
  }

  /// Returns an object with the values of a row, which is not in the identity map yet.
  @inline(__always)
  private func read(
    from reader: RowReader,
    lacking missing: [Int],
    in registration: EntityRegistration,
    _ enter: (inout _ModelState, _ version: Int64) -> Void
  ) throws -> any PersistentModel {
    if reader.hasNotes { reader.textReferences = [] }
    let made = try registration.layout.type.init(_$row: reader)
    enter(&made._$state, reader.version)
    if !missing.isEmpty { made.noteUnloaded(missing) }
    if reader.hasNotes {
      for (index, reference) in reader.textReferences {
        made.modelExtra.references[index] = reference
      }
    }
    return made
  }

  /// Updates an object without unsaved changes to the current values of its row.
  ///
  /// To-many relationships that were loaded are kept; see `applySavesOfOthers()`.
  fileprivate func refresh(
    _ model: any PersistentModel,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws {
    guard model._$state.flags.isDisjoint(with: [.changed, .deleted]) else { return }
    forgetDeferred(of: model, unless: reader, lacking: missing)
    if model._$state.flags.contains(.observed) {
      try refreshObserved(model, from: reader, lacking: missing)
    } else {
      for index in 0..<type(of: model)._$count {
        if missing.contains(index) || isCurrent(index, of: model, reader) { continue }
        try model._$read(index, from: reader)
      }
    }
    model._$state.version = reader.version
    guard model._$state.flags.contains(.partial) else { return }
    for index in model.unloadedIndices where !missing.contains(index) { model.noteLoaded(index) }
  }

  /// Unloads the values that a row lacks this time, unless the row has not changed since they were
  /// loaded.
  private func forgetDeferred(
    of model: any PersistentModel,
    unless reader: RowReader,
    lacking missing: [Int]
  ) {
    let isSame = reader.version != 0 && reader.version == model._$state.version
    guard !missing.isEmpty, !isSame else { return }
    for index in missing where !model.isUnloaded(index) {
      model.unload(index)
    }
  }

  /// Whether a relationship is loaded and agrees with the row, or a value is stored in no row.
  func isCurrent(
    _ index: Int,
    of model: any PersistentModel,
    _ reader: RowReader
  ) -> Bool {
    guard let registration = model.registration, registration.isRelationship[index] else {
      // No row contains a value that no store keeps.
      return model.registration?.ephemerals.contains(index) == true
    }
    guard case .models(let models) = ContentWriter.content(of: index, in: model) else {
      return false
    }
    if registration.entity.properties[index].isToMany {
      // A list that is stored in the row may have changed with the row.
      return registration.entity.properties[index].isDerivedToMany
        || reader.version == model._$state.version
    }
    return (try? reader.reference(at: index)) == models.first?.persistentModelID.key
  }

  private func refreshObserved(
    _ model: any PersistentModel,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws {
    for index in 0..<type(of: model)._$count {
      if missing.contains(index) || isCurrent(index, of: model, reader) { continue }
      if model.isUnloaded(index) {
        try model._$read(index, from: reader)
        continue
      }
      if model.registration?.isRelationship[index] == false,
        case .value(let old) = ContentWriter.content(of: index, in: model),
        old == (try? reader.value(at: index))
      {
        continue
      }
      try model.notifyingObservers(of: index) { try model._$read(index, from: reader) }
    }
  }
}

/// Turns the rows of one result into objects.
struct ObjectMaterializer {
  /// Specifies which registered objects are read again.
  enum Refresh {
    case all
    /// Objects whose version differs from that of their row.
    case outdated
    case none
  }

  private let context: ContextState
  private let refresh: Refresh
  private var current: EntityRegistration
  // The scope of rows that are of the current entity.
  private var scope: PersistentIdentifier.Scope?
  private var deferral: Deferral
  private var ascendingKeys: AscendingKeys?

  /// The state while all objects of the hierarchy come from the rows so far, whose keys ascend.
  ///
  /// The object of the next row is then not registered, so that no lookup is needed.
  private struct AscendingKeys {
    var key = Int64.min
    var arrivals: Int
  }

  /// Creates the reader for rows of an entity, with the named properties, or with all for `nil`.
  init(
    _ properties: [String]?,
    into context: ContextState,
    _ registration: EntityRegistration,
    refresh: Refresh
  ) {
    self.context = context
    self.refresh = refresh
    current = registration
    deferral = Deferral(properties, of: registration)
    if registration.identityMap.count == 0 {
      ascendingKeys = AscendingKeys(arrivals: context.arrivals)
    }
  }

  /// Returns the object of a row: a registered one, or a new one that it registers.
  mutating func model(of reader: RowReader) throws -> any PersistentModel {
    if !reader.isIn(scope) { try enter(reader.scope, reader) }
    if let number = reader.number { return try object(number, reader) }
    let (part, missing) = deferral.look(at: reader)
    let identifier = reader.identifier
    guard let registered = current.identityMap.model(for: identifier.key) else {
      return try context.made(for: identifier, from: part, lacking: missing, in: current)
    }
    return try refreshed(registered, reader, from: part, lacking: missing)
  }

  /// Ensures that the current entity is that of the row.
  @inline(__always)
  private mutating func enter(
    _ rowScope: PersistentIdentifier.Scope?,
    _ reader: RowReader
  ) throws {
    if let rowScope, rowScope === scope { return }
    let found = try context.registration(of: reader, last: current)
    if found !== current { deferral.enter(found) }
    current = found
    scope = reader.entity.name == rowScope?.entityName ? rowScope : nil
  }

  private mutating func object(
    _ number: Int64,
    _ reader: RowReader
  ) throws -> any PersistentModel {
    if reader.hasNotes { prefetchSlots(reader) }
    // Values that differ from row to row are passed on once: each use of them counts a reference.
    guard deferral.isPossible else {
      return try object(number, reader, from: reader, lacking: [])
    }
    let (part, missing) = deferral.look(at: reader)
    return try object(number, reader, from: part, lacking: missing)
  }

  /// Prefetches the objects of the rows that a reader announces as next.
  private func prefetchSlots(_ reader: RowReader) {
    if reader.keysToPrefetch.isEmpty { return }
    current.identityMap.prefetchSlots(reader.keysToPrefetch)
    reader.keysToPrefetch.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private mutating func object(
    _ number: Int64,
    _ row: RowReader,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws -> any PersistentModel {
    if !isAscending(to: number), let registered = current.identityMap.model(forNumber: number) {
      return try refreshed(registered, row, from: reader, lacking: missing)
    }
    let made = try context.made(for: number, from: reader, lacking: missing, in: current)
    ascendingKeys?.arrivals += 1
    return made
  }

  private func refreshed(
    _ registered: any PersistentModel,
    _ row: RowReader,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws -> any PersistentModel {
    let isCurrent =
      switch refresh {
      case .all: false
      case .outdated: context.isCurrent(registered, row, lacking: missing, in: current)
      case .none: true
      }
    if !isCurrent { try context.refresh(registered, from: reader, lacking: missing) }
    return registered
  }

  /// Whether rows still arrive in ascending order of new keys; once they do not, every row is
  /// looked up.
  private mutating func isAscending(to key: Int64) -> Bool {
    guard let ascendingKeys else { return false }
    guard key > ascendingKeys.key, ascendingKeys.arrivals == context.arrivals else {
      self.ascendingKeys = nil
      return false
    }
    self.ascendingKeys?.key = key
    return true
  }
}

extension _ModelState {
  /// Makes the state that of an object which was created from a row.
  ///
  /// All fields are set in one call: through the protocol, each access of the state is a call.
  fileprivate mutating func enter(
    _ registration: EntityRegistration,
    key: Int64,
    version: Int64,
    isRecorded: Bool
  ) {
    self.registration = registration
    flags.insert(isRecorded ? [.tracked, .recorded] : .tracked)
    self.key = key
    self.version = version
  }
}
