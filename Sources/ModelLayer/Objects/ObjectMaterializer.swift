import ModelRuntime
import StoreProtocol

/// Turns the rows of one result into objects.
struct ObjectMaterializer {
  /// Specifies which registered objects are read again.
  enum Refresh {
    case all
    /// Objects whose version differs from that of their row, and those with relationships, which a
    /// store may clear without another version.
    case outdated
    /// Objects whose version differs from that of their row.
    case older
  }

  private let objects: RegisteredObjects
  private let refresh: Refresh
  /// Whether objects are made of rows whose values their types refuse.
  private let toleratesUnreadable: Bool
  private var current: EntityRegistration
  // The scope of rows that are of the current entity.
  private var scope: PersistentIdentifier.Scope?
  private let wanted: Set<String>?
  /// Finds what rows of the current entity lack, or `nil` if they lack nothing.
  private var deferral: Deferral?
  /// The number of objects that were made of the rows.
  private(set) var madeCount = 0
  private let earlierArrivals: Int
  /// The last key, while all objects of the hierarchy come from the rows so far, whose keys ascend.
  ///
  /// The object of the next row is then not registered, so that no lookup is needed.
  private var ascendingKey: Int64?

  /// Creates the reader for rows of an entity, with the named properties, or with all for `nil`.
  init(
    _ properties: [String]?,
    of registration: EntityRegistration,
    refresh: Refresh,
    toleratesUnreadable: Bool = false
  ) {
    objects = registration.objects
    self.refresh = refresh
    self.toleratesUnreadable = toleratesUnreadable
    current = registration
    earlierArrivals = objects.arrivals
    wanted = properties.map(Set.init)
    if wanted != nil || !registration.facts.hasWholeRows {
      deferral = Deferral(wanted, of: registration)
    }
    if registration.identityMap.count == 0 { ascendingKey = .min }
  }

  /// Returns the object of a row: a registered one, or a new one that it registers.
  mutating func model(of row: RowReader) throws -> any PersistentModel {
    if !row.isIn(scope) { try enter(row) }
    if row.hasNotes { prefetchSlots(row) }
    // Values that differ from row to row are passed on once: each use of them counts a reference.
    guard let (part, missing) = deferral?.look(at: row) else {
      return try object(of: row, from: row, lacking: [])
    }
    return try object(of: row, from: part, lacking: missing)
  }

  /// Ensures that the current entity is that of the row.
  @inline(__always)
  private mutating func enter(_ row: RowReader) throws {
    if row.entity.name != current.entity.name {
      current = try current.registration(of: row)
      deferral = Deferral(wanted, of: current)
    }
    scope = row.entity.name == row.scope?.entityName ? row.scope : nil
  }

  /// Prefetches the objects of the rows that a reader announces as next.
  private func prefetchSlots(_ reader: RowReader) {
    if reader.keysToPrefetch.isEmpty { return }
    current.identityMap.prefetchSlots(reader.keysToPrefetch)
    reader.keysToPrefetch.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private mutating func object(
    of row: RowReader,
    from reader: RowReader,
    lacking missing: [Int]
  ) throws -> any PersistentModel {
    let key = row.key
    if !isAscending(to: key), let registered = current.identityMap.model(for: key) {
      return try refreshed(registered, row, from: reader, lacking: missing)
    }
    let made =
      toleratesUnreadable
      ? try current.makeReadableObject(for: key, from: reader, lacking: missing)
      : try current.makeObject(for: key, from: reader, lacking: missing)
    madeCount += 1
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
      case .outdated: current.isCurrent(registered, row, lacking: missing)
      case .older: row.version != 0 && registered._$state.version == row.version
      }
    // A row of the same version may lack a reference that a store has cleared.
    if objects.hasSeenOthers, !isCurrent || refresh != .older,
      registered._$state.flags.isDisjoint(with: [.changed, .deleted])
    {
      registered._$state.flags.remove(.outdated)
    }
    guard !isCurrent else { return registered }
    guard toleratesUnreadable else {
      try registered.refresh(from: reader, lacking: missing)
      return registered
    }
    let (_, unreadable) = try current.withReadableValues(of: reader, lacking: missing) {
      try registered.refresh(from: $0, lacking: $1)
    }
    registered.noteUnreadable(unreadable)
    return registered
  }

  /// Whether rows still arrive in ascending order of new keys; once they do not, every row is
  /// looked up.
  private mutating func isAscending(to key: PersistentIdentifier.Key) -> Bool {
    guard let last = ascendingKey else { return false }
    guard case .integer(let number) = key, number > last,
      objects.arrivals == earlierArrivals + madeCount
    else {
      ascendingKey = nil
      return false
    }
    ascendingKey = number
    return true
  }
}
