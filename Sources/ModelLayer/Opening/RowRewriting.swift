import StoreProtocol

/// Writes the rows of one store to another with another schema, by fetch and save alone.
///
/// The rows come first, without references. References and to-many relationships are set in a
/// second pass, when every row has its identifier.
struct RowRewriting {
  private static let batchSize = 2_000

  let source: ContainerCore
  let difference: SchemaDifference
  private let change: StructureChange
  private let mappings: [String: RowMapping]
  private var keys: [PersistentIdentifier: PersistentIdentifier] = [:]
  private var owners: [RowMapping.Owner: [PersistentIdentifier: [PersistentIdentifier]]] = [:]
  private var problems: [String: SchemaViolation] = [:]
  /// The number of rows that were written.
  private(set) var written = 0
  /// The number of rows that were left out with their entities.
  private(set) var removed = 0

  init(source: ContainerCore, difference: SchemaDifference, change: StructureChange) {
    self.source = source
    self.difference = difference
    self.change = change
    let list = RowMapping.mappings(of: difference, fillsMissing: change.leavesValuesToCode)
    mappings = Dictionary(list.map { ($0.new.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the rows that prevent the change.
  mutating func violations() throws -> [SchemaViolation] {
    try readOwners()
    try forEachBatch { rewriting, batch, _ in
      for record in batch { _ = try rewriting.values(of: record) }
    }
    return problems.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Writes all rows.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the obstacle, before the first row.
  mutating func run(to target: ContainerCore, progress: StructureProgress) throws {
    if let first = try violations().first { throw first.error(difference, file: nil) }
    removed = 0
    let total = try roots.reduce(0) {
      try $0 + source.backend(keeping: $1).count(StoreQuery(entity: $1))
    }
    try progress(0, total)
    try forEachBatch { rewriting, batch, _ in
      try rewriting.insert(batch, into: target)
      try progress(rewriting.written, total)
    }
    try forEachBatch { rewriting, batch, backend in
      try rewriting.connect(batch, of: backend, in: target)
      try progress(rewriting.written, total)
    }
  }

  private var roots: [String] {
    difference.old.entities.filter { $0.superentity == nil }.map(\.name)
  }

  private mutating func forEachBatch(
    _ body: (inout RowRewriting, [DefaultSnapshot], any StoreBackend) throws -> Void
  ) throws {
    for root in roots {
      let backend = try source.backend(keeping: root)
      var batch: [DefaultSnapshot] = []
      try backend.read(StoreQuery(entity: root)) { reader in
        batch.append(try StoreCopy.record(reader))
        guard batch.count == Self.batchSize else { return }
        try body(&self, batch, backend)
        batch.removeAll(keepingCapacity: true)
      }
      if !batch.isEmpty { try body(&self, batch, backend) }
    }
  }

  private mutating func insert(_ batch: [DefaultSnapshot], into target: ContainerCore) throws {
    var inserted: [String: [(old: PersistentIdentifier, new: DefaultSnapshot)]] = [:]
    for record in batch {
      guard let (entity, values) = try values(of: record) else { continue }
      let temporary = PersistentIdentifier(
        scope: PersistentIdentifier.Scope(storeIdentifier: nil, entityName: entity.name),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      )
      let new = DefaultSnapshot(
        persistentIdentifier: temporary,
        entity: entity,
        values: values
      )
      inserted[entity.root, default: []].append((record.persistentIdentifier, new))
    }
    for (root, rows) in inserted.sorted(by: { $0.key < $1.key }) {
      let result = try target.backend(keeping: root)
        .apply(StoreChanges(inserted: rows.map(\.new), origin: .migration))
      if let merged = result.merged.first { throw equalValues(of: merged.entityName) }
      for (old, new) in rows { keys[old] = result.remapped[new.persistentIdentifier] }
      written += rows.count
    }
  }

  private func equalValues(of entity: String) -> DataStoreError {
    SchemaViolation.equal(
      difference.new.entity(named: entity)?.uniquenessConstraints.first ?? [],
      of: entity,
      count: 1,
      example: nil
    )
    .error(difference, file: nil)
  }
}

extension RowRewriting {
  /// Returns a row's attributes under the newer schema, without its references.
  private mutating func values(
    of record: DefaultSnapshot
  ) throws -> (entity: StoreEntity, values: [StoreValue])? {
    let name = record.persistentIdentifier.entityName
    guard let mapping = mappings[name] else {
      removed += 1
      if !change.removesEntities {
        note(.abandoned(name, count: 1, example: record.persistentIdentifier))
      }
      return nil
    }
    let values = mapping.new.properties.indices.map { value(at: $0, of: record, mapping) }
    return (mapping.new, values)
  }

  private mutating func value(
    at index: Int,
    of record: DefaultSnapshot,
    _ mapping: RowMapping
  ) -> StoreValue {
    let property = mapping.new.properties[index]
    let (entity, example) = (mapping.new.name, record.persistentIdentifier)
    var value = StoreValue.null
    switch mapping.sources[index] {
    case .same(let position): value = record.values[position]
    case .converted(let position, let type):
      if let fitting = record.values[position].converted(to: type) {
        value = fitting
      } else {
        note(.unfit(property.name, of: entity, for: type, count: 1, example: example))
      }
    case .owners(let list):
      let owners = owners(of: record, list)
      value = owners.first.map(StoreValue.identifier) ?? .null
      if property.isToOne, owners.count > 1 {
        note(.shared(property, of: entity, count: 1, example: example, owners: owners))
      }
    case .missing, .oneToMany, .listed, .ordered: break
    }
    if value.isNull { value = mapping.fallback(at: index) }
    if value.isNull, mapping.mustHaveValue(at: index) {
      note(.absent(property.name, of: entity, count: 1, example: example))
    }
    switch property.kind {
    case .attribute: return value
    case .toOne: return .null
    case .toMany: return property.isDerivedToMany ? .null : .identifiers([])
    }
  }

  /// Counts a row that prevents the change.
  private mutating func note(_ violation: SchemaViolation) {
    let qualifiedName = "\(violation.entity).\(violation.properties.first ?? "")"
    let before = problems[qualifiedName]
    problems[qualifiedName] = SchemaViolation(
      entity: violation.entity,
      properties: violation.properties,
      reason: violation.reason,
      count: (before?.count ?? 0) + 1,
      example: before?.example ?? violation.example,
      related: before?.related ?? violation.related
    )
  }

  /// Sets the references of rows.
  private func connect(
    _ batch: [DefaultSnapshot],
    of reading: any StoreBackend,
    in target: ContainerCore
  ) throws {
    let members = try StoreMembers(of: batch, schema: difference.old, in: reading)
    var updates: [String: [StoreUpdate]] = [:]
    for record in batch {
      guard let mapping = mappings[record.persistentIdentifier.entityName],
        let identifier = keys[record.persistentIdentifier]
      else { continue }
      let changes = references(of: record, mapping, members)
      guard !changes.isEmpty else { continue }
      updates[mapping.new.root, default: []]
        .append(StoreUpdate(identifier: identifier, changes: changes))
    }
    for (root, list) in updates.sorted(by: { $0.key < $1.key }) {
      _ = try target.backend(keeping: root).apply(StoreChanges(updated: list, origin: .migration))
    }
  }

  private func references(
    of record: DefaultSnapshot,
    _ mapping: RowMapping,
    _ members: StoreMembers
  ) -> [StoreUpdate.Change] {
    var changes: [StoreUpdate.Change] = []
    for (index, property) in mapping.new.properties.enumerated() where property.relationship != nil
    {
      switch mapping.sources[index] {
      case .same(let position), .listed(let position), .ordered(let position):
        let old = mapping.old.properties[position]
        let value = mapped(members.value(of: position, old, in: record))
        if case .identifiers(let list) = value, list.isEmpty { continue }
        if !value.isNull { changes.append(StoreUpdate.Change(index, value)) }
      case .oneToMany(let position):
        guard case .identifier(let only) = mapped(record.values[position]) else { continue }
        changes.append(StoreUpdate.Change(index, .identifiers([only])))
      case .owners(let list):
        let owners = owners(of: record, list).compactMap { keys[$0] }
        if property.isToMany, !owners.isEmpty {
          changes.append(StoreUpdate.Change(index, .identifiers(owners)))
        } else if let owner = owners.first {
          changes.append(StoreUpdate.Change(index, .identifier(owner)))
        }
      case .converted, .missing: continue
      }
    }
    return changes
  }

  /// Reads the referrers of each row by relationships that get an inverse.
  private mutating func readOwners() throws {
    guard owners.isEmpty else { return }
    var wanted: Set<RowMapping.Owner> = []
    for case .owners(let list) in mappings.values.flatMap(\.sources) { wanted.formUnion(list) }
    guard !wanted.isEmpty else { return }
    let byEntity = Dictionary(grouping: wanted, by: \.entity)
    try forEachBatch { rewriting, batch, backend in
      let members = try StoreMembers(of: batch, schema: rewriting.difference.old, in: backend)
      for record in batch {
        guard let mapping = rewriting.mappings[record.persistentIdentifier.entityName]
        else { continue }
        for owner in byEntity[mapping.old.name] ?? [] {
          let property = mapping.old.properties[owner.position]
          for row in members.value(of: owner.position, property, in: record).identifiers {
            rewriting.owners[owner, default: [:]][row, default: []]
              .append(record.persistentIdentifier)
          }
        }
      }
    }
  }

  private func owners(
    of record: DefaultSnapshot,
    _ list: [RowMapping.Owner]
  ) -> [PersistentIdentifier] {
    list.flatMap { owners[$0]?[record.persistentIdentifier] ?? [] }
  }

  private func mapped(_ value: StoreValue) -> StoreValue {
    switch value {
    case .identifier(let identifier): keys[identifier].map(StoreValue.identifier) ?? .null
    case .identifiers(let list): .identifiers(list.compactMap { keys[$0] })
    default: value
    }
  }
}
