import StoreProtocol

/// One copy of all rows from the stores of a container to those of another.
///
/// Entities that others refer to come first. A reference to a row that was not copied yet, and
/// every to-many relationship, is set in a second pass.
struct StoreCopy {
  static let batchSize = 2_000

  let source: ContainerCore
  let target: ContainerCore
  let schema: StoreSchema
  /// The new key of each old one, by the root of the hierarchy.
  private var keys: [String: [PersistentIdentifier.Key: PersistentIdentifier]] = [:]
  /// Updates that wait for all rows to be there.
  private var late: [String: [StoreUpdate]] = [:]
  private var copied = 0

  init(from source: ContainerCore, to target: ContainerCore) throws {
    self.source = source
    self.target = target
    schema = source.schema.storeSchema
    guard schema.entities == target.schema.storeSchema.entities else {
      throw DataStoreError(.schemaMismatch, "stores with different schemas cannot be copied")
    }
    let origins = Set(source.backends.all.map(\.identifier))
    for backend in target.backends.all {
      guard !origins.contains(backend.identifier) else {
        throw DataStoreError(.invalidConfiguration, "a store cannot be copied to itself")
      }
      for entity in backend.schema.storeSchema.entities where entity.superentity == nil {
        guard try backend.count(StoreQuery(entity: entity.name)) == 0 else {
          throw DataStoreError(
            .invalidConfiguration,
            "the store to copy to has objects already; erase it first",
            entity: entity.name
          )
        }
      }
    }
  }

  /// Copies all rows.
  mutating func run(progress: (Int, Int) -> Void) throws {
    let roots = rootsInOrder()
    let total = try roots.reduce(0) { try $0 + (backend(of: $1, in: source).count(.all(of: $1))) }
    for root in roots {
      let reading = try backend(of: root, in: source)
      var batch: [DefaultSnapshot] = []
      try reading.read(.all(of: root)) { identifier, reader in
        batch.append(try Self.record(identifier, reader))
        guard batch.count == Self.batchSize else { return }
        try write(batch, root: root, reading: reading)
        batch.removeAll(keepingCapacity: true)
        progress(copied, total)
      }
      try write(batch, root: root, reading: reading)
      progress(copied, total)
    }
    for (root, updates) in late.sorted(by: { $0.key < $1.key }) {
      try writeLate(updates, root: root)
    }
    late = [:]
  }

  private func writeLate(_ updates: [StoreUpdate], root: String) throws {
    let writing = try backend(of: root, in: target)
    for start in stride(from: 0, to: updates.count, by: Self.batchSize) {
      let part = updates[start..<min(start + Self.batchSize, updates.count)]
      let updates = part.map { update in
        StoreUpdate(
          identifier: update.identifier,
          changes: update.changes.map { StoreUpdate.Change($0.index, self.mapped($0.value)) }
        )
      }
      _ = try writing.apply(StoreChanges(updated: updates))
    }
  }

  static func record(
    _ identifier: PersistentIdentifier,
    _ reader: RowReader
  ) throws -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: identifier,
      entity: reader.entity,
      values: try reader.entity.properties.indices.map(reader.value(at:))
    )
  }

  private mutating func write(
    _ batch: [DefaultSnapshot],
    root: String,
    reading: any StoreBackend
  ) throws {
    guard !batch.isEmpty else { return }
    let members = try StoreMembers(of: batch, schema: schema, in: reading)
    var inserted: [DefaultSnapshot] = []
    var waiting: [(position: Int, changes: [StoreUpdate.Change])] = []
    for (position, record) in batch.enumerated() {
      let (now, later) = try split(record, members: members)
      let scope = PersistentIdentifier.Scope(
        storeIdentifier: nil,
        entityName: record.persistentIdentifier.entityName
      )
      let temporary = PersistentIdentifier(
        scope: scope,
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      )
      inserted.append(
        DefaultSnapshot(persistentIdentifier: temporary, names: record.names, values: now)
      )
      if !later.isEmpty { waiting.append((position, later)) }
    }
    let result = try backend(of: root, in: target).apply(StoreChanges(inserted: inserted))
    for (record, new) in zip(batch, inserted) {
      keys[root, default: [:]][record.persistentIdentifier.key] =
        result.remapped[new.persistentIdentifier]
    }
    for (position, changes) in waiting {
      guard let identifier = result.remapped[inserted[position].persistentIdentifier] else {
        continue
      }
      late[root, default: []].append(StoreUpdate(identifier: identifier, changes: changes))
    }
    copied += batch.count
  }

  /// Divides a row into the values that can be stored now and those that must wait.
  private func split(
    _ record: DefaultSnapshot,
    members: StoreMembers
  ) throws -> (now: [StoreValue], later: [StoreUpdate.Change]) {
    let entity = try entity(of: record)
    var now = record.values
    var later: [StoreUpdate.Change] = []
    for (index, property) in entity.properties.enumerated() {
      switch property.kind {
      case .attribute: continue
      case .toOne:
        guard case .identifier(let identifier) = now[index] else { continue }
        if let known = mappedIdentifier(identifier) {
          now[index] = .identifier(known)
        } else {
          later.append(StoreUpdate.Change(index, now[index]))
          now[index] = .null
        }
      case .toMany:
        let list = members.value(of: index, property, in: record)
        if case .identifiers(let identifiers) = list, !identifiers.isEmpty,
          !(property.isDerivedToMany && Self.isNatural(identifiers))
        {
          later.append(StoreUpdate.Change(index, list))
        }
        now[index] = property.isDerivedToMany ? .null : .identifiers([])
      }
    }
    return (now, later)
  }

  /// Whether members come in the order of their keys, which copies keep.
  private static func isNatural(_ members: [PersistentIdentifier]) -> Bool {
    zip(members, members.dropFirst()).allSatisfy { $0 < $1 }
  }

  func entity(of record: DefaultSnapshot) throws -> StoreEntity {
    let name = record.persistentIdentifier.entityName
    guard let entity = schema.entity(named: name) else {
      throw DataStoreError(.schemaMismatch, "the schema lacks this entity", entity: name)
    }
    return entity
  }

  func mapped(_ value: StoreValue) -> StoreValue {
    switch value {
    case .identifier(let identifier):
      mappedIdentifier(identifier).map(StoreValue.identifier) ?? .null
    case .identifiers(let list): .identifiers(list.compactMap(mappedIdentifier))
    default: value
    }
  }

  func mappedIdentifier(_ identifier: PersistentIdentifier) -> PersistentIdentifier? {
    let root = schema.entity(named: identifier.entityName)?.root ?? identifier.entityName
    return keys[root]?[identifier.key]
  }

  func backend(of root: String, in core: ContainerCore) throws -> any StoreBackend {
    guard let backend = core.backends.backend(for: root) else {
      throw DataStoreError(.schemaMismatch, "no store keeps this entity", entity: root)
    }
    return backend
  }

  /// The topmost entities, those that others refer to first.
  func rootsInOrder() -> [String] {
    var open = schema.entities.filter { $0.superentity == nil }.map(\.name)
    var done: Set<String> = []
    var order: [String] = []
    while !open.isEmpty {
      let ready = open.first { needs(of: $0).isSubset(of: done.union([$0])) } ?? open[0]
      open.removeAll { $0 == ready }
      done.insert(ready)
      order.append(ready)
    }
    return order
  }

  private func needs(of root: String) -> Set<String> {
    let targets = schema.family(of: root).flatMap(\.properties).filter(\.isToOne)
      .compactMap { $0.relationship?.destination }
    return Set(targets.map { schema.entity(named: $0)?.root ?? $0 })
  }
}

extension StoreQuery {
  /// All rows of a hierarchy in the order of their keys.
  static func all(of root: String) -> StoreQuery { StoreQuery(entity: root) }
}
