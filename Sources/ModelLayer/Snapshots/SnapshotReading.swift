import StoreProtocol

/// Makes snapshots of stored rows, without objects.
///
/// It gives what ``SnapshotTaking`` gives for the objects of the same rows. Rows are read level by level,
/// each relationship at once for all objects of a level.
struct SnapshotReading {
  private let context: ContextState
  private let followed: Set<AnyKeyPath>
  /// The rows that were read, with the identifiers of all related objects.
  private var records: [PersistentIdentifier: SnapshotRecord] = [:]
  /// Their identifiers by hierarchy: a reference does not say of which model of one its object is.
  private var known: [String: [PersistentIdentifier.Key: PersistentIdentifier]] = [:]
  private var expanded: Set<PersistentIdentifier> = []
  private var way: Set<PersistentIdentifier> = []

  /// Begins a reading.
  ///
  /// - Parameters:
  ///   - followed: The key paths of relationships as their layouts have them.
  ///   - context: The context, which has no unsaved changes.
  init(following followed: Set<AnyKeyPath>, in context: ContextState) {
    self.followed = followed
    self.context = context
  }

  /// Reads snapshots.
  ///
  /// - Parameter rows: Reads the rows that the snapshots are of.
  /// - Returns: The snapshots, or `nil` if values of the rows are stored elsewhere.
  /// - Throws: What the store throws.
  mutating func records(
    _ rows: ((PersistentIdentifier, RowReader) throws -> Void) throws -> Void
  ) throws -> [SnapshotRecord]? {
    do {
      var roots: [PersistentIdentifier] = []
      try rows { roots.append(try add($0, $1)) }
      try readRelated(to: roots)
      return roots.compactMap { root in
        expanded = []
        return record(of: root)
      }
    } catch is StoredElsewhere {
      return nil
    }
  }

  /// Adds a row, and returns its identifier.
  private mutating func add(
    _ identifier: PersistentIdentifier,
    _ reader: RowReader
  ) throws -> PersistentIdentifier {
    if records[identifier] != nil { return identifier }
    guard let place = context.registration(named: reader.entity.name), place.externals.isEmpty,
      place.ephemerals.isEmpty
    else { throw StoredElsewhere() }
    var record = SnapshotRecord(place.layout, identifier: identifier)
    for index in record.contents.indices {
      if !place.isRelationship[index] {
        record.contents[index] = .value(try reader.value(at: index))
      } else if !place.isToMany[index] {
        let key = try reader.reference(at: index)
        record.contents[index] = .unfollowed(
          try key.map { [try target($0, at: index, place)] } ?? []
        )
      }
    }
    records[identifier] = record
    known[place.entity.root, default: [:]][identifier.key] = identifier
    return identifier
  }

  private func target(
    _ key: PersistentIdentifier.Key,
    at index: Int,
    _ place: EntityRegistration
  ) throws -> PersistentIdentifier {
    guard let target = Self.target(at: index, of: place, in: context) else {
      throw StoredElsewhere()
    }
    return PersistentIdentifier(scope: target.scope, key: key)
  }

  private static func target(
    at index: Int,
    of place: EntityRegistration,
    in context: ContextState
  ) -> EntityRegistration? {
    place.entity.properties[index].relationship.flatMap {
      context.registration(named: $0.destination)
    }
  }

  /// Reads what rows refer to, and what that refers to, as far as relationships are followed.
  private mutating func readRelated(to roots: [PersistentIdentifier]) throws {
    var level = roots
    for _ in 0...SnapshotRecord.depthLimit where !level.isEmpty {
      let before = Set(records.keys)
      for (name, owners) in Dictionary(grouping: level, by: \.entityName) {
        guard let place = context.registration(named: name) else { throw StoredElsewhere() }
        for index in place.relationshipIndices {
          if place.isToMany[index] {
            try readMembers(at: index, of: owners, place)
          } else {
            try readTargets(at: index, of: owners, place)
          }
        }
      }
      level = records.keys.filter { !before.contains($0) }
    }
  }

  private func follows(_ index: Int, of place: EntityRegistration) -> Bool {
    followed.contains(place.layout.properties[index].keyPath)
  }

  /// Reads the objects of a relationship to one, or only who they are where their own entity may be
  /// another.
  private mutating func readTargets(
    at index: Int,
    of owners: [PersistentIdentifier],
    _ place: EntityRegistration
  ) throws {
    guard let target = Self.target(at: index, of: place, in: context) else {
      throw StoredElsewhere()
    }
    let isFollowed = follows(index, of: place)
    let mayBeOther = context.core.schema.storeSchema.family(of: target.entity.name).count > 1
    guard isFollowed || mayBeOther else { return }
    let references = owners.compactMap { owner in identifiers(at: index, of: owner).first }
    let found = try read(Set(references), of: target, isFollowed: isFollowed)
    for owner in owners {
      guard let reference = identifiers(at: index, of: owner).first else { continue }
      records[owner]?.contents[index] = .unfollowed(found[reference.key].map { [$0] } ?? [])
    }
  }

  private func identifiers(at index: Int, of owner: PersistentIdentifier) -> [PersistentIdentifier]
  {
    guard case .unfollowed(let found)? = records[owner]?.contents[index] else { return [] }
    return found
  }

  /// Reads rows by their keys, or only their identifiers.
  private mutating func read(
    _ identifiers: Set<PersistentIdentifier>,
    of place: EntityRegistration,
    isFollowed: Bool
  ) throws -> [PersistentIdentifier.Key: PersistentIdentifier] {
    var found = known[place.entity.root] ?? [:]
    let missing = identifiers.filter { found[$0.key] == nil }
    guard !missing.isEmpty else { return found }
    let query = StoreQuery.rows(missing.sorted(), of: place.entity.name)
    if isFollowed {
      try place.backend.read(query, as: nil) { found[$0.key] = try add($0, $1) }
    } else {
      for identifier in try place.backend.identifiers(query, as: nil) {
        found[identifier.key] = identifier
      }
    }
    return found
  }

  private mutating func readMembers(
    at index: Int,
    of owners: [PersistentIdentifier],
    _ place: EntityRegistration
  ) throws {
    guard let target = Self.target(at: index, of: place, in: context) else {
      throw StoredElsewhere()
    }
    if follows(index, of: place), try readMemberRows(at: index, of: owners, place) { return }
    let members = try place.backend.members(
      of: place.entity.properties[index].name,
      in: place.entity.name,
      owners: owners
    )
    if follows(index, of: place) {
      _ = try read(Set(members.values.joined()), of: target, isFollowed: true)
    }
    for owner in owners { records[owner]?.contents[index] = .unfollowed(members[owner] ?? []) }
  }

  /// Reads related objects with their rows, where the store gives these together.
  private mutating func readMemberRows(
    at index: Int,
    of owners: [PersistentIdentifier],
    _ place: EntityRegistration
  ) throws -> Bool {
    let property = place.entity.properties[index]
    let keys = owners.compactMap(\.integerKey)
    guard property.isDerivedToMany, keys.count == owners.count,
      let reading = place.backend.memberReading
    else { return false }
    var members: [Int64: [PersistentIdentifier]] = [:]
    let orders = try reading.readMembers(
      of: property.name,
      in: place.entity.name,
      owners: keys
    ) { owner, number, reader in
      let scope =
        reader.scope
        ?? .init(storeIdentifier: place.backend.identifier, entityName: reader.entity.name)
      let row = PersistentIdentifier(scope: scope, key: .integer(number))
      members[owner, default: []].append(try add(row, reader))
    }
    guard let orders else { return false }
    for (owner, key) in zip(owners, keys) {
      let list = Self.ordered(members[key] ?? [], by: orders[key] ?? [])
      records[owner]?.contents[index] = .unfollowed(list)
    }
    return true
  }

  /// Sorts identifiers by their positions in a list; those it lacks follow by their keys.
  private static func ordered(
    _ identifiers: [PersistentIdentifier],
    by list: [Int64]
  ) -> [PersistentIdentifier] {
    let positions = Dictionary(zip(list, list.indices), uniquingKeysWith: { first, _ in first })
    let ranked = identifiers.map { identifier in
      let key = identifier.integerKey ?? 0
      return (rank: (positions[key] ?? .max, key), identifier: identifier)
    }
    return ranked.sorted { $0.rank < $1.rank }.map(\.identifier)
  }

  /// The snapshot of a row that was read, or `nil` if there is no such row.
  private mutating func record(of identifier: PersistentIdentifier) -> SnapshotRecord? {
    guard var record = records[identifier] else { return nil }
    let isFirst = expanded.insert(identifier).inserted
    way.insert(identifier)
    defer { way.remove(identifier) }
    guard isFirst, way.count <= SnapshotRecord.depthLimit else { return record }
    for index in record.layout.relationshipIndices
    where followed.contains(record.layout.properties[index].keyPath) {
      guard case .unfollowed(let related) = record.contents[index] else { continue }
      record.contents[index] = .objects(related.compactMap { member($0) })
    }
    return record
  }

  private mutating func member(_ identifier: PersistentIdentifier) -> SnapshotRecord? {
    guard way.contains(identifier), let layout = records[identifier]?.layout else {
      return record(of: identifier)
    }
    return SnapshotRecord(layout, identifier: identifier)
  }
}

/// Values are not in their row, so that objects have to be made.
private struct StoredElsewhere: Error {}
