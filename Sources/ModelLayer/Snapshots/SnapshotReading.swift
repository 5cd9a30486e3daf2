import ModelRuntime
import StoreProtocol

/// Creates snapshots of stored rows, without objects.
///
/// The results equal those of ``SnapshotBuilder`` for the objects of the same rows. Rows are read
/// level by level, each relationship at once for all objects of a level.
struct SnapshotReading {
  /// A row that was read.
  private struct Row {
    let registration: EntityRegistration
    /// Its values, with the identifiers of all related objects.
    var record: SnapshotRecord
    /// The last snapshot that contains its related objects.
    var expansion = 0
    /// Whether it is on the path to the row that is being added.
    var isOnPath = false
  }

  private struct RowKey: Hashable {
    let hierarchy: ObjectIdentifier
    let key: PersistentIdentifier.Key
  }

  private let context: ContextState
  private let followed: Set<AnyKeyPath>
  private var rows: [Row] = []
  /// The indices of rows by hierarchy and key: a reference does not name the model of its object
  /// within a hierarchy.
  private var indices: [RowKey: Int] = [:]
  /// The properties that are followed, by entity.
  private var choices: [ObjectIdentifier: [Bool]] = [:]
  private var lastRegistration: EntityRegistration?
  private var depth = 0

  /// Begins a reading.
  ///
  /// - Parameters:
  ///   - followed: The key paths of relationships in the form of their layouts.
  ///   - context: The context, which has no unsaved changes.
  init(following followed: Set<AnyKeyPath>, in context: ContextState) {
    self.followed = followed
    self.context = context
  }

  /// Reads snapshots.
  ///
  /// - Parameter read: Reads the rows of the snapshots.
  /// - Returns: The snapshots, or `nil` if values of the rows are stored elsewhere.
  /// - Throws: Errors of the store.
  mutating func records(
    _ read: ((RowReader) throws -> Void) throws -> Void
  ) throws -> [SnapshotRecord]? {
    do {
      var roots: [Int] = []
      try read { roots.append(try add($0)) }
      try readRelated()
      return roots.enumerated().map { record(of: $1, in: $0 + 1) }
    } catch is StoredElsewhere {
      return nil
    }
  }

  /// Adds a row, and returns its index.
  @discardableResult
  private mutating func add(_ reader: RowReader) throws -> Int {
    let identifier = reader.identifier
    let registration = try registration(of: reader.entity)
    let new = RowKey(hierarchy: ObjectIdentifier(registration.identityMap), key: identifier.key)
    if let existing = indices[new] { return existing }
    var record = SnapshotRecord(registration.layout, identifier: identifier)
    if reader.version != 0 { record.version = reader.version }
    for index in record.contents.indices {
      if !registration.isRelationship[index] {
        record.contents[index] = .value(try reader.value(at: index))
      } else if !registration.isToMany[index] {
        let target = try reader.reference(at: index).map { key in
          PersistentIdentifier(scope: try self.target(at: index, of: registration).scope, key: key)
        }
        record.contents[index] = .unfollowed(target.map { [$0] } ?? [])
      }
    }
    indices[new] = rows.count
    rows.append(Row(registration: registration, record: record))
    return rows.count - 1
  }

  private mutating func registration(of entity: StoreEntity) throws -> EntityRegistration {
    if let lastRegistration, lastRegistration.entity.name == entity.name { return lastRegistration }
    guard let registration = context.registration(named: entity.name),
      registration.facts.externals.isEmpty,
      registration.layout.storedCount == registration.layout.properties.count
    else { throw StoredElsewhere() }
    lastRegistration = registration
    return registration
  }

  private func index(of key: PersistentIdentifier.Key, in registration: EntityRegistration) -> Int?
  {
    indices[RowKey(hierarchy: ObjectIdentifier(registration.identityMap), key: key)]
  }

  private func target(
    at index: Int,
    of registration: EntityRegistration
  ) throws -> EntityRegistration {
    guard let target = registration.destination(of: index) else { throw StoredElsewhere() }
    return target
  }

  /// Reads the rows that rows refer to, level by level, as far as relationships are followed.
  private mutating func readRelated() throws {
    var level = rows.indices
    for _ in 0...SnapshotRecord.depthLimit where !level.isEmpty {
      for owners in Dictionary(grouping: level, by: { ObjectIdentifier(rows[$0].registration) })
        .values
      {
        let registration = rows[owners[0]].registration
        for index in registration.relationshipIndices {
          if registration.isToMany[index] {
            try readMembers(at: index, of: owners, registration)
          } else {
            try readTargets(at: index, of: owners, registration)
          }
        }
      }
      level = level.endIndex..<rows.endIndex
    }
  }

  private mutating func follows(_ index: Int, of registration: EntityRegistration) -> Bool {
    if let choice = choices[ObjectIdentifier(registration)] { return choice[index] }
    let choice = registration.layout.properties.map {
      $0.shape != nil && followed.contains($0.keyPath)
    }
    choices[ObjectIdentifier(registration)] = choice
    return choice[index]
  }

  /// Reads the objects of a to-one relationship, or only their identifiers if their own entity may
  /// differ.
  private mutating func readTargets(
    at index: Int,
    of owners: [Int],
    _ registration: EntityRegistration
  ) throws {
    let target = try target(at: index, of: registration)
    let isFollowed = follows(index, of: registration)
    guard isFollowed || target.facts.hasFamily else { return }
    let references = owners.compactMap { identifiers(at: index, of: $0).first }
    let others = try read(references, of: target, isFollowed: isFollowed)
    for owner in owners {
      guard let key = identifiers(at: index, of: owner).first?.key else { continue }
      let row = self.index(of: key, in: target)
      let found = row.flatMap { rows[$0].record.identifier } ?? others[key]
      rows[owner].record.contents[index] = .unfollowed(found.map { [$0] } ?? [])
    }
  }

  private func identifiers(at index: Int, of owner: Int) -> [PersistentIdentifier] {
    guard case .unfollowed(let found) = rows[owner].record.contents[index] else { return [] }
    return found
  }

  /// Reads rows by their keys unless they were read already, or only their identifiers.
  ///
  /// - Returns: The identifiers if no rows were read.
  private mutating func read(
    _ references: [PersistentIdentifier],
    of registration: EntityRegistration,
    isFollowed: Bool
  ) throws -> [PersistentIdentifier.Key: PersistentIdentifier] {
    let missing = Set(references.filter { index(of: $0.key, in: registration) == nil })
    guard let first = missing.first else { return [:] }
    if isFollowed, missing.count == 1 {
      try registration.store.readRows(of: registration.query(forRow: first.key)) { try add($0) }
      return [:]
    }
    let query = StoreQuery.rows(missing.sorted(), of: registration.entity.name)
    guard !isFollowed else {
      try registration.store.readRows(of: query) { try add($0) }
      return [:]
    }
    return try registration.store.rowIdentifiers(of: query).reduce(into: [:]) {
      $0[$1.key] = $1
    }
  }

  private mutating func readMembers(
    at index: Int,
    of owners: [Int],
    _ registration: EntityRegistration
  ) throws {
    let isFollowed = follows(index, of: registration)
    let property = registration.entity.properties[index]
    let identifiers = owners.compactMap { rows[$0].record.identifier }
    var arrived: [Int64: [PersistentIdentifier]] = [:]
    let found = try registration.store.readMembers(
      of: property,
      in: registration.entity,
      owners: identifiers,
      wantsRows: isFollowed
    ) { owner, reader in
      arrived[owner, default: []].append(reader.identifier)
      try add(reader)
    }
    if case .listed(let members) = found, isFollowed {
      let target = try target(at: index, of: registration)
      _ = try read(members.values.flatMap { $0 }, of: target, isFollowed: true)
    }
    for (owner, identifier) in zip(owners, identifiers) {
      let members: [PersistentIdentifier]
      switch found {
      case .listed(let lists): members = lists[identifier] ?? []
      case .read(let orders):
        let key = identifier.integerKey ?? 0
        members = MemberOrder.ordered(arrived[key] ?? [], by: orders[key] ?? []) {
          $0.integerKey ?? 0
        }
      }
      rows[owner].record.contents[index] = .unfollowed(members)
    }
  }

  private mutating func record(of row: Int, in snapshot: Int) -> SnapshotRecord {
    var record = rows[row].record
    let registration = rows[row].registration
    guard rows[row].expansion != snapshot, depth < SnapshotRecord.depthLimit else { return record }
    rows[row].expansion = snapshot
    rows[row].isOnPath = true
    depth += 1
    defer {
      rows[row].isOnPath = false
      depth -= 1
    }
    for index in registration.relationshipIndices where follows(index, of: registration) {
      guard case .unfollowed(let related) = record.contents[index],
        let target = try? target(at: index, of: registration)
      else { continue }
      record.contents[index] = .objects(
        related.compactMap { self.index(of: $0.key, in: target) }.map { member($0, in: snapshot) }
      )
    }
    return record
  }

  private mutating func member(_ row: Int, in snapshot: Int) -> SnapshotRecord {
    guard rows[row].isOnPath else { return record(of: row, in: snapshot) }
    return SnapshotRecord(rows[row].registration.layout, identifier: rows[row].record.identifier)
  }
}

/// An error for values that are not in their row, so that objects have to be created.
private struct StoredElsewhere: Error {}
