import StoreProtocol

/// Reads rows into the objects of a context, and what objects lack when the program reads it.
///
/// A read of a property cannot throw, and must not take a query for each object. The loader therefore
/// reads for all objects that were fetched together (``FetchGroups``), and keeps an error for the next
/// save. That save stores no value which the program set without having read the stored one
/// (``UnreadValues``).
final class RowLoader {
  // Unowned: a context has its loader as long as it exists.
  unowned let context: ContextState
  /// Whether an object of its row's version is assumed to have the row's values, which then need
  /// not be read.
  var trustsVersions = true
  /// Whether objects are made of rows with values that their types refuse, as in the code of a
  /// migration, which may set these values.
  var toleratesUnreadable = false
  /// The values that could not be loaded and must not be stored as they were read.
  var unread = UnreadValues()
  /// The count of queries caused by accesses of data that was not loaded, or `nil` if there were none.
  private(set) var existingFaults: FaultLedger?
  /// Detects relationships that are not loaded.
  private(set) lazy var probe = FaultProbe()

  init(_ context: ContextState) {
    self.context = context
  }

  /// The count of queries caused by accesses of data that was not loaded.
  var faults: FaultLedger {
    if let existingFaults { return existingFaults }
    let made = FaultLedger()
    existingFaults = made
    return made
  }

  /// Reads rows into objects: registered ones are refreshed, new ones created and registered.
  ///
  /// With `trustsVersions`, an object of its row's version is assumed to have the row's values, so
  /// that these are not read.
  func read(
    _ query: StoreQuery,
    in store: (any RecordStore)? = nil,
    from registration: EntityRegistration,
    trustsVersions: Bool = false,
    _ body: (any PersistentModel) throws -> Void
  ) throws {
    if !context.bulkChanges.isEmpty { try BulkChanges(in: context).carryOut() }
    let refresh = trustsVersions ? ObjectMaterializer.Refresh.outdated : .all
    var materializer = ObjectMaterializer(
      query.properties,
      of: registration,
      refresh: refresh,
      toleratesUnreadable: toleratesUnreadable
    )
    try (store ?? registration.store).readRows(of: query) {
      try body(try materializer.model(of: $0))
    }
    context.objects.evictIfCrowded(except: materializer.madeCount, unless: context.isNeeded)
  }

  /// Returns the objects of a type in the result of a query, in its order.
  func objects<T: PersistentModel>(
    of query: StoreQuery,
    in store: (any RecordStore)? = nil,
    from registration: EntityRegistration
  ) throws -> [T] {
    // Appending to an array costs more if the compiler does not know the type of its elements, and
    // an array of other objects counts a reference to each again when it is converted.
    var objects: [Unmanaged<AnyObject>] = []
    objects.reserveCapacity(64)
    // One runtime check per type is enough.
    var cachedType: ObjectIdentifier?
    do {
      try read(query, in: store, from: registration, trustsVersions: trustsVersions) { model in
        let type = ObjectIdentifier(type(of: model))
        if type != cachedType {
          guard model is T else { return }
          cachedType = type
        }
        objects.append(.passRetained(model))
      }
    } catch {
      for object in objects { object.release() }
      throw error
    }
    let result = [T](retained: objects)
    // The store may have noticed saves of other processes as it read the rows.
    context.core.saves.notice()
    if context.feed.position != context.core.saves.end {
      context.feed.unloadOutdatedLists(sparing: result)
    }
    registration.identityMap.noteFetched(result)
    return result
  }

  /// Reads rows in a function that cannot throw, also those with values that their types refuse.
  ///
  /// Such a value is an error when the program reads it, and no longer once the program sets it.
  func toleratingUnreadable<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = toleratesUnreadable
    toleratesUnreadable = true
    defer { toleratesUnreadable = before }
    return try body()
  }

  /// Returns the keys whose rows must be read so that all objects have current values.
  ///
  /// These are the ones without a registered object, and all once others have saved.
  func unreadKeys(
    _ keys: some Sequence<PersistentIdentifier.Key>,
    _ registration: EntityRegistration
  ) -> Set<PersistentIdentifier.Key> {
    if context.objects.hasSeenOthers { return Set(keys) }
    return Set(keys.filter { registration.identityMap.model(for: $0) == nil })
  }

  /// Fetches rows by key and registers their objects.
  func fetchRows(
    _ keys: Set<PersistentIdentifier.Key>,
    of registration: EntityRegistration,
    properties: [String]? = nil,
    trustsVersions: Bool = false,
    isCounted: Bool = true
  ) throws -> [any PersistentModel] {
    guard !keys.isEmpty else { return [] }
    let identifiers = Self.identifiers(keys, in: registration.scope)
    var query = StoreQuery.rows(identifiers, of: registration.entity.name)
    query.properties = properties
    var result: [any PersistentModel] = []
    if isCounted { faults.queryHappens() }
    try read(query, from: registration, trustsVersions: trustsVersions) { result.append($0) }
    return result
  }

  /// Returns the identifiers of keys in their order, in which stores have their rows.
  ///
  /// Integers, which mostly all keys are, are sorted as such: comparing identifiers costs more than
  /// reading the rows.
  private static func identifiers(
    _ keys: Set<PersistentIdentifier.Key>,
    in scope: PersistentIdentifier.Scope
  ) -> [PersistentIdentifier] {
    var numbers: [Int64] = []
    numbers.reserveCapacity(keys.count)
    for key in keys {
      guard case .integer(let number) = key else {
        return keys.map { PersistentIdentifier(scope: scope, key: $0) }.sorted()
      }
      numbers.append(number)
    }
    numbers.sort()
    return numbers.map { PersistentIdentifier(scope: scope, key: .integer($0)) }
  }

  /// Returns the object of a row that is not registered yet, or `nil` if there is no such row.
  func readRow(
    _ key: PersistentIdentifier.Key,
    of registration: EntityRegistration
  ) throws -> (any PersistentModel)? {
    guard case .integer = key else { return try fetchRows([key], of: registration).first }
    if !context.bulkChanges.isEmpty {
      try BulkChanges(in: context).carryOut()
      if let registered = registration.identityMap.model(for: key) { return registered }
    }
    faults.queryHappens()
    var found: (any PersistentModel)?
    try registration.store.readRows(of: registration.query(forRow: key)) { reader in
      let actual = try registration.registration(ofSingle: reader)
      var deferral = Deferral(nil, of: actual)
      let (part, missing) = deferral?.look(at: reader) ?? (reader, [])
      found =
        toleratesUnreadable
        ? try actual.makeReadableObject(for: key, from: part, lacking: missing)
        : try actual.makeObject(for: key, from: part, lacking: missing)
    }
    context.objects.evictIfCrowded(except: 1, unless: context.isNeeded)
    return found
  }
}

extension Array where Element: AnyObject {
  /// Creates an array of retained objects, each of which is known to be of the type.
  fileprivate init(retained objects: [Unmanaged<AnyObject>]) {
    self.init(unsafeUninitializedCapacity: objects.count) { buffer, count in
      buffer.withMemoryRebound(to: Unmanaged<AnyObject>.self) {
        count = $0.initialize(fromContentsOf: objects)
      }
    }
  }
}

/// Properties that could not be loaded when the program read them, and read as empty.
///
/// The values that the program then sets may have been derived from the empty value (`list =
/// sorted(list)`). No save therefore stores them: each throws until the change is reverted.
struct UnreadValues {
  struct Entry {
    // Objects with changes are kept by their changes; an entry alone must not keep a context that
    // was released.
    fileprivate weak var model: (any PersistentModel)?
    fileprivate let index: Int
    fileprivate let error: any Error
  }

  private(set) var entries: [Entry] = []

  /// Notes a property that could not be loaded.
  mutating func note(_ model: any PersistentModel, _ index: Int, _ error: any Error) {
    entries.append(Entry(model: model, index: index, error: error))
  }

  /// Removes all entries, with the changes that would have been refused.
  mutating func clear() { entries = [] }

  /// Removes the entries that the program has not set since, so that it can read them again.
  mutating func forgetUnchanged() {
    entries = entries.filter { $0.model?.hasChange(at: $0.index) == true }
  }

  /// Refuses changes of properties that could not be loaded before.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` with the first such property.
  func check() throws {
    guard let first = entries.first, let registration = first.model?.registration else { return }
    throw SwiftDataError.modelValidationFailure.with(
      "the property was set after its value could not be loaded and was returned as empty; roll "
        + "back or refresh the object, then change it again",
      entity: registration.entity.name,
      property: registration.entity.properties[first.index].name,
      cause: first.error
    )
  }
}

extension PersistentModel {
  /// Whether a property of a stored object has an unsaved change.
  fileprivate func hasChange(at index: Int) -> Bool {
    _$state.registration != nil && !_$state.flags.contains(.deleted)
      && _$state.dirty & _ModelState.bit(index) != 0 && dirtyIndices.contains(index)
  }
}
