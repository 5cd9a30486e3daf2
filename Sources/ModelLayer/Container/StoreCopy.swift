import StoreProtocol

/// One copy of all rows from the stores of a container to those of another.
///
/// If a store accepts keys (``RecordStore/nextKey()``), rows are copied in the order of their keys
/// and keep them. Otherwise entities that others refer to come first, and the store assigns keys of
/// its own. A copy in one save contains all references. In a copy in parts, a reference to a row
/// that was not copied yet, and every to-many relationship, is set in a second pass.
///
/// A copy to stores with another schema converts the rows. The stores then assign keys.
struct StoreCopy {
  static let batchSize = 2_000

  let source: ContainerCore
  let target: ContainerCore
  /// The schema of the originals.
  let schema: StoreSchema
  private let newSchema: StoreSchema
  /// Converts the rows to the other schema, or `nil` if both schemas are equal.
  private var converter: RecordConverter?
  /// Whether rows are stored in parts, so that memory does not grow with them.
  ///
  /// Otherwise each store gets all of its rows in one save, before which it is empty and after
  /// which it is complete.
  private let isInParts: Bool
  /// The rows that keep their keys, by the store that they are copied to; others get new ones.
  private var kept: [ObjectIdentifier: CopiedKeys] = [:]
  /// The new key of each old one, by the root of the hierarchy, if the store assigns keys.
  private var keys: [String: [PersistentIdentifier.Key: PersistentIdentifier]] = [:]
  /// Updates that wait until all rows are present.
  private var late: [ObjectIdentifier: [StoreUpdate]] = [:]
  private var copied = 0
  /// The number of rows of the originals.
  private(set) var total = 0
  /// The number of rows that were stored.
  private(set) var written = 0

  /// An error for rows of an entity that the store merged, because they have equal unique values.
  struct MergedRows: Error {
    let entity: String
  }

  /// Whether all rows keep their keys.
  var keepsKeys: Bool { kept.count == target.stores.all.count }

  init(from source: ContainerCore, to target: ContainerCore, inParts: Bool) throws {
    self.source = source
    self.target = target
    isInParts = inParts
    schema = source.schema.storeSchema
    newSchema = target.schema.storeSchema
    guard schema.entities == newSchema.entities else {
      throw DataStoreError(.schemaMismatch, "stores with different schemas cannot be copied")
    }
    let origins = Set(source.stores.all.map(\.identifier))
    for store in target.stores.all {
      guard !origins.contains(store.identifier) else {
        throw DataStoreError(
          .invalidConfiguration,
          "both stores have the identifier \(store.identifier): one is the other, or a copy of "
            + "its files; copy to a new store"
        )
      }
      for entity in store.schema.storeSchema.entities where entity.superentity == nil {
        guard try store.countRows(of: StoreQuery(entity: entity.name)) == 0 else {
          throw DataStoreError(
            .invalidConfiguration,
            "the store to copy to is not empty; erase it first (storectl erase), or copy to a new "
              + "store",
            entity: entity.name
          )
        }
      }
    }
  }

  /// Creates a copy to an empty store with another schema, in parts.
  init(from source: ContainerCore, to target: ContainerCore, converter: RecordConverter) {
    self.source = source
    self.target = target
    self.converter = converter
    isInParts = true
    schema = source.schema.storeSchema
    newSchema = target.schema.storeSchema
  }

  private var origin: SaveOrigin { converter == nil ? .copy : .migration }

  mutating func run(progress: (Int, Int) throws -> Void) throws {
    let roots = rootsInOrder()
    total = try roots.reduce(0) { try $0 + source.store(keeping: $1).countRows(of: .all(of: $1)) }
    if converter != nil { try progress(0, total) }
    for writing in target.stores.all {
      // An entity without rows in the other schema has no store there; there is one store then.
      let own =
        try converter != nil
        ? roots : roots.filter { try target.store(keeping: $0) === writing }
      if converter == nil, let keys = try CopiedKeys(of: own, from: source, to: writing) {
        kept[ObjectIdentifier(writing)] = keys
        try copyByKey(keys, to: writing, progress)
      } else {
        try copy(own, to: writing, progress)
      }
    }
    for writing in target.stores.all {
      try writeLate(late.removeValue(forKey: ObjectIdentifier(writing)) ?? [], to: writing)
    }
  }

  /// Copies the rows of a store in ascending order of their keys.
  private mutating func copyByKey(
    _ keys: CopiedKeys,
    to writing: any RecordStore,
    _ progress: (Int, Int) throws -> Void
  ) throws {
    var batch: [DefaultSnapshot] = []
    for window in keys.windows(of: Self.batchSize) {
      for (root, identifiers) in keys.identifiers(in: window) {
        let reading = try source.store(keeping: root)
        var rows: [DefaultSnapshot] = []
        try reading.readRows(of: .rows(identifiers, of: root)) { rows.append(try Self.record($0)) }
        batch += try completed(rows, from: reading)
      }
      copied += window.count
      let isLast = window.upperBound == keys.count
      if isInParts || isLast {
        batch.sort { $0.persistentIdentifier < $1.persistentIdentifier }
        // Rows of the batch may refer to each other; rows with greater keys are still to come.
        kept[ObjectIdentifier(writing)]?.highest = keys.key(at: window.upperBound - 1)
        try write(batch, to: writing, nextKey: isLast ? keys.nextKey : nil)
        batch = []
      }
      try progress(copied, total)
    }
    if keys.count == 0, let next = keys.nextKey {
      var changes = StoreChanges(origin: origin)
      changes.nextKey = next
      _ = try writing.apply(changes)
    }
  }

  /// Copies the rows of hierarchies to a store that assigns keys of its own.
  private mutating func copy(
    _ roots: [String],
    to writing: any RecordStore,
    _ progress: (Int, Int) throws -> Void
  ) throws {
    var batch: [DefaultSnapshot] = []
    for root in roots {
      let reading = try source.store(keeping: root)
      var rows: [DefaultSnapshot] = []
      func take() throws {
        batch += try completed(rows, from: reading)
        copied += rows.count
        rows = []
        if isInParts {
          try write(batch, to: writing)
          batch = []
        }
        try progress(copied, total)
      }
      try reading.readRows(of: .all(of: root)) { reader in
        rows.append(try Self.record(reader))
        if rows.count == Self.batchSize { try take() }
      }
      try take()
    }
    try write(batch, to: writing)
  }

  private func writeLate(_ updates: [StoreUpdate], to writing: any RecordStore) throws {
    for start in stride(from: 0, to: updates.count, by: Self.batchSize) {
      let part = updates[start..<min(start + Self.batchSize, updates.count)]
      let updates = part.map { update in
        StoreUpdate(
          identifier: update.identifier,
          changes: update.changes.map { StoreUpdate.Change($0.index, self.mapped($0.value)) }
        )
      }
      _ = try writing.apply(StoreChanges(updated: updates, origin: origin))
    }
  }

  /// Returns rows with the elements of their relationships, converted to the other schema.
  private mutating func completed(
    _ rows: [DefaultSnapshot],
    from reading: any RecordStore
  ) throws -> [DefaultSnapshot] {
    let rows = try reading.withMembers(rows)
    guard var converter else { return rows }
    return rows.compactMap { converter.converted($0) }
  }

  static func record(_ reader: RowReader) throws -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: reader.identifier,
      entity: reader.entity,
      values: try reader.entity.properties.indices.map(reader.value(at:))
    )
  }

  private mutating func write(
    _ batch: [DefaultSnapshot],
    to writing: any RecordStore,
    nextKey: Int64? = nil
  ) throws {
    guard !batch.isEmpty else { return }
    let keepsKeys = kept[ObjectIdentifier(writing)] != nil
    let temporary = TemporaryIdentifiers(of: batch, schema: schema)
    var changes = StoreChanges(origin: origin)
    changes.nextKey = nextKey
    var inserted: [DefaultSnapshot] = []
    var waiting: [(position: Int, changes: [StoreUpdate.Change])] = []
    for (position, record) in batch.enumerated() {
      let own = record.persistentIdentifier
      let (now, later) = try split(record, temporary)
      guard let new = temporary[own] else { continue }
      inserted.append(
        DefaultSnapshot(persistentIdentifier: new, names: record.names, values: now)
      )
      if keepsKeys { changes.keys[new] = own.integerKey }
      if !later.isEmpty { waiting.append((position, later)) }
    }
    changes.inserted = inserted
    let result = try writing.apply(changes)
    if converter != nil, let merged = result.merged.first {
      throw MergedRows(entity: merged.entityName)
    }
    written += batch.count
    let identifiers = inserted.map { result.remapped[$0.persistentIdentifier] }
    if !keepsKeys {
      for (record, new) in zip(batch, identifiers) {
        let old = record.persistentIdentifier
        keys[schema.root(of: old), default: [:]][old.key] = new
      }
    }
    for (position, changes) in waiting {
      guard let identifier = identifiers[position] else { continue }
      late[ObjectIdentifier(writing), default: []]
        .append(StoreUpdate(identifier: identifier, changes: changes))
    }
  }

  /// Divides a row into the values that can be stored now and those that must wait.
  ///
  /// - Parameters:
  ///   - record: The row, with the elements of its relationships.
  ///   - temporary: The identifiers of the rows that are stored with it.
  /// - Returns: The values of the new row, and its update in the second pass.
  /// - Throws: ``DataStoreError/schemaMismatch`` for an entity that the schema lacks.
  private func split(
    _ record: DefaultSnapshot,
    _ temporary: TemporaryIdentifiers
  ) throws -> (now: [StoreValue], later: [StoreUpdate.Change]) {
    let entity = try entity(of: record)
    var now = record.values
    var later: [StoreUpdate.Change] = []
    for (index, property) in entity.properties.enumerated() {
      switch property.kind {
      case .attribute: continue
      case .toOne:
        guard case .identifier(let identifier) = now[index] else { continue }
        if let mapped = temporary[identifier] ?? mappedIdentifier(identifier) {
          now[index] = .identifier(mapped)
        } else {
          later.append(StoreUpdate.Change(index, now[index]))
          now[index] = .null
        }
      case .toMany:
        let identifiers = now[index].identifiers
        now[index] = property.isDerivedToMany ? .null : .identifiers([])
        guard !identifiers.isEmpty, !(property.isDerivedToMany && Self.isNatural(identifiers))
        else { continue }
        if isInParts {
          later.append(StoreUpdate.Change(index, .identifiers(identifiers)))
        } else {
          now[index] = .identifiers(identifiers.compactMap { temporary[$0] })
        }
      }
    }
    return (now, later)
  }

  /// Whether elements are in the order of their keys, which copies keep.
  private static func isNatural(_ members: [PersistentIdentifier]) -> Bool {
    zip(members, members.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// The entity of a row in the other schema.
  func entity(of record: DefaultSnapshot) throws -> StoreEntity {
    try newSchema.requiredEntity(record.persistentIdentifier.entityName)
  }

  func mapped(_ value: StoreValue) -> StoreValue { value.mappingReferences(mappedIdentifier) }

  /// The identifier of a row's copy, or `nil` while there is none.
  func mappedIdentifier(_ identifier: PersistentIdentifier) -> PersistentIdentifier? {
    let name = identifier.entityName
    let root = schema.root(of: identifier)
    if let new = keys[root]?[identifier.key] { return new }
    guard let writing = target.stores.byEntity[root],
      let kept = kept[ObjectIdentifier(writing)], let key = identifier.integerKey,
      key <= kept.highest
    else { return nil }
    return PersistentIdentifier(.integer(key), of: name, in: writing.identifier)
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

extension StoreSchema {
  /// Returns the topmost entity of a row's hierarchy.
  func root(of row: PersistentIdentifier) -> String {
    entity(named: row.entityName)?.root ?? row.entityName
  }
}
