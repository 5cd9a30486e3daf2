import RowChanges
import StoreHelpers
import StoreProtocol

/// Converts the records of a store from one schema to another, all of them in memory.
struct RecordConversion {
  /// The number of records that are converted between two calls of `progress`.
  private static let recordsAtOnce = 20_000

  let storeIdentifier: String
  let name: String
  var progress: StructureProgress = { _, _ in }

  /// Returns the records converted to the newest schema.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the violations that prevent it.
  func converted(
    _ records: [DefaultSnapshot],
    from schema: StoreSchema,
    through changes: [StructureChange]
  ) throws -> [DefaultSnapshot] {
    var records = records
    var schema = schema
    for change in changes {
      let difference = SchemaDifference(from: schema, to: change.schema)
      if !change.leavesValuesToCode { try difference.requireLightweight(file: name) }
      let (next, violations) = try converted(records, difference, change)
      if let first = violations.first { throw first.error(difference, file: name) }
      records = next
      schema = change.schema
    }
    return records
  }

  /// Returns the records converted to another schema, and the violations that prevent it.
  func converted(
    _ records: [DefaultSnapshot],
    _ difference: SchemaDifference,
    _ change: StructureChange
  ) throws -> ([DefaultSnapshot], [SchemaViolation]) {
    try difference.new.validate()
    let byEntity = Dictionary(grouping: records, by: \.persistentIdentifier.entityName)
    var violations: [SchemaViolation] = []
    if !change.removesEntities {
      violations = difference.removedEntities.compactMap { name in
        byEntity[name].map {
          .abandoned(name, count: $0.count, example: $0.first?.persistentIdentifier)
        }
      }
    }
    let mappings = RowMapping.mappings(of: difference, fillsMissing: change.leavesValuesToCode)
    let removed = Set(
      difference.removedEntities.flatMap { byEntity[$0] ?? [] }
        .compactMap(\.persistentIdentifier.integerKey)
    )
    var done = 0
    var next: [DefaultSnapshot] = []
    for mapping in mappings.sorted(by: { $0.new.name < $1.new.name }) {
      var conversion = EntityConversion(mapping, byEntity, difference, removed: removed)
      for record in byEntity[mapping.new.name] ?? [] {
        next.append(conversion.converted(record))
        done += 1
        if done % Self.recordsAtOnce == 0 { try progress(done, records.count) }
      }
      violations += conversion.problems.violations
    }
    try progress(done, records.count)
    return (next, violations + equalValues(next, difference))
  }

  /// Returns the constraints that the records would violate.
  private func equalValues(
    _ records: [DefaultSnapshot],
    _ difference: SchemaDifference
  ) -> [SchemaViolation] {
    let catalog = Catalog(difference.new, storeIdentifier: storeIdentifier)
    var seen: Set<UniqueValues> = []
    var found: [StoreConstraint: (count: Int, example: PersistentIdentifier)] = [:]
    for record in records {
      for values in catalog.uniqueValues(of: record) where !seen.insert(values).inserted {
        let before = found[values.constraint]
        found[values.constraint] = (
          (before?.count ?? 0) + 1, before?.example ?? record.persistentIdentifier
        )
      }
    }
    return found.map { constraint, rows in
      .equal(
        constraint.properties,
        of: constraint.entity,
        count: rows.count,
        example: rows.example
      )
    }
    .sorted { ($0.entity, $0.properties.joined()) < ($1.entity, $1.properties.joined()) }
  }
}

/// Converts the records of one entity to another schema.
private struct EntityConversion {
  private let mapping: RowMapping
  private let removed: Set<Int64>
  private let isRequired: [Bool]
  /// The related objects by the keys of their owners, for properties that become lists.
  private var listed: [Int: [Int64: [PersistentIdentifier]]] = [:]
  /// The owners by the keys of their related objects, for properties that become inverses.
  private var owners: [Int: [Int64: [PersistentIdentifier]]] = [:]
  private(set) var problems: RowProblems

  init(
    _ mapping: RowMapping,
    _ records: [String: [DefaultSnapshot]],
    _ difference: SchemaDifference,
    removed: Set<Int64>
  ) {
    self.mapping = mapping
    self.removed = removed
    problems = RowProblems(of: mapping.new)
    isRequired = mapping.new.properties.indices.map {
      mapping.mustHaveValue(at: $0, removingRows: !removed.isEmpty)
    }
    for (index, source) in mapping.sources.enumerated() {
      switch source {
      case .listed(let position):
        let relationship = mapping.old.properties[position].relationship
        guard let inverse = relationship?.inverse, let destination = relationship?.destination
        else { continue }
        for entity in difference.old.family(of: destination) {
          for record in records[entity.name] ?? [] {
            guard case .identifier(let owner)? = record[inverse], let key = owner.integerKey
            else { continue }
            listed[index, default: [:]][key, default: []].append(record.persistentIdentifier)
          }
        }
      case .owners(let sources):
        for owner in sources {
          for record in records[owner.entity] ?? [] {
            for key in record.values[owner.position].identifiers.compactMap(\.integerKey) {
              owners[index, default: [:]][key, default: []].append(record.persistentIdentifier)
            }
          }
        }
      default: continue
      }
    }
  }

  mutating func converted(_ record: DefaultSnapshot) -> DefaultSnapshot {
    var values: [StoreValue] = []
    for index in mapping.new.properties.indices { values.append(value(at: index, record)) }
    var result = DefaultSnapshot(
      persistentIdentifier: record.persistentIdentifier,
      entity: mapping.new,
      values: values
    )
    result.version = record.version
    return result
  }

  private mutating func value(at index: Int, _ record: DefaultSnapshot) -> StoreValue {
    var value = StoreValue.null
    switch mapping.sources[index] {
    case .missing: break
    case .same(let position), .ordered(let position):
      value = remaining(record.values[position])
    case .converted(let position, let type):
      guard let fitting = record.values[position].converted(to: type) else {
        problems.note(.unfit, at: index, record.persistentIdentifier)
        return .null
      }
      value = fitting
    case .oneToMany(let position):
      value = .identifiers(remaining(record.values[position]).identifiers)
    case .owners: value = owner(at: index, record)
    case .listed(let position):
      let key = record.persistentIdentifier.integerKey ?? 0
      let members = listed[index]?[key] ?? []
      value = .identifiers(MemberOrder.ordered(members, by: record.values[position].identifiers))
    }
    if value.isNull { value = mapping.fallback(at: index) }
    if isRequired[index], value.isNull {
      problems.note(.absent, at: index, record.persistentIdentifier)
    }
    return value
  }

  /// Returns a value without references to rows that are removed with their entities.
  private func remaining(_ value: StoreValue) -> StoreValue {
    guard !removed.isEmpty else { return value }
    func stays(_ identifier: PersistentIdentifier) -> Bool {
      identifier.integerKey.map { !removed.contains($0) } ?? true
    }
    switch value {
    case .identifier(let one): return stays(one) ? value : .null
    case .identifiers(let list): return .identifiers(list.filter(stays))
    default: return value
    }
  }

  private mutating func owner(at index: Int, _ record: DefaultSnapshot) -> StoreValue {
    let key = record.persistentIdentifier.integerKey ?? 0
    let found = (owners[index]?[key] ?? []).sorted()
    guard mapping.new.properties[index].isToOne else { return .identifiers(found) }
    if found.count > 1 {
      problems.note(
        .shared,
        at: index,
        record.persistentIdentifier,
        owners: Array(found.prefix(3))
      )
    }
    return found.first.map(StoreValue.identifier) ?? .null
  }
}
