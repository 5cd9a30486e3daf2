/// Converts the records of a store from one schema to another, one by one.
///
/// Some values depend on the rows that refer to a row. If ``needsAllRecords`` is `true`, pass each
/// record to ``note(_:)`` before the first is converted.
package struct RecordConverter {
  /// A row, by the root of its hierarchy: a reference may name a superentity.
  private struct Place: Hashable {
    let root: String
    let key: PersistentIdentifier.Key
  }

  /// The conversion of the rows of one entity.
  private struct Plan {
    let mapping: RowMapping
    /// The older relationships whose values are needed, for each newer property.
    let owners: [[RowMapping.Owner]]
    /// For each newer property, whether a row without a value prevents the change.
    let isRequired: [Bool]
    var problems: RowProblems
  }

  private let old: StoreSchema
  private let change: StructureChange
  private let removedEntities: [String]
  private var plans: [String: Plan] = [:]
  /// The older relationships of each entity that rows are looked up by.
  private var noted: [String: Set<Int>] = [:]
  private var referrers: [RowMapping.Owner: [Place: [PersistentIdentifier]]] = [:]
  private var removed: Set<Place> = []
  private var abandoned: [String: (count: Int, example: PersistentIdentifier)] = [:]

  /// Plans a change.
  package init(_ difference: SchemaDifference, _ change: StructureChange) {
    old = difference.old
    self.change = change
    removedEntities = difference.removedEntities
    for mapping in RowMapping.mappings(of: difference, fillsMissing: change.leavesValuesToCode) {
      let owners = mapping.sources.map { mapping.owners(of: $0, in: difference.old) }
      plans[mapping.new.name] = Plan(
        mapping: mapping,
        owners: owners,
        isRequired: mapping.new.properties.indices.map {
          mapping.mustHaveValue(at: $0, removingRows: !removedEntities.isEmpty)
        },
        problems: RowProblems(of: mapping.new)
      )
      for owner in owners.joined() { noted[owner.entity, default: []].insert(owner.position) }
    }
  }

  /// Whether values depend on other rows than their own.
  package var needsAllRecords: Bool { !noted.isEmpty || !removedEntities.isEmpty }

  /// The rows that prevent the change, of the records that were noted and converted.
  package var violations: [SchemaViolation] {
    let lost = removedEntities.compactMap { name in
      abandoned[name].map { SchemaViolation.abandoned(name, count: $0.count, example: $0.example) }
    }
    let plans = plans.sorted { $0.key < $1.key }.map(\.value)
    return (change.removesEntities ? [] : lost) + plans.flatMap(\.problems.violations)
  }

  private func place(_ row: PersistentIdentifier) -> Place {
    Place(root: old.entity(named: row.entityName)?.root ?? row.entityName, key: row.key)
  }

  /// Notes that a row exists, and the rows that it refers to.
  package mutating func note(_ record: DefaultSnapshot) {
    let row = record.persistentIdentifier
    if removedEntities.contains(row.entityName) {
      removed.insert(place(row))
      abandoned[row.entityName, default: (0, row)].count += 1
    }
    for position in noted[row.entityName] ?? [] {
      let owner = RowMapping.Owner(entity: row.entityName, position: position)
      for target in record.values[position].identifiers {
        referrers[owner, default: [:]][place(target), default: []].append(row)
      }
    }
  }

  /// Returns a record under the newer schema, or `nil` if its entity is removed.
  package mutating func converted(_ record: DefaultSnapshot) -> DefaultSnapshot? {
    guard var plan = plans[record.persistentIdentifier.entityName] else { return nil }
    var values: [StoreValue] = []
    values.reserveCapacity(plan.isRequired.count)
    var faults: [(Int, RowProblems.Fault, [PersistentIdentifier])] = []
    for index in plan.isRequired.indices {
      values.append(value(at: index, of: record, plan) { faults.append((index, $0, $1)) })
    }
    for (index, fault, owners) in faults {
      plan.problems.note(fault, at: index, record.persistentIdentifier, owners: owners)
    }
    if !faults.isEmpty { plans[plan.mapping.new.name] = plan }
    var result = DefaultSnapshot(
      persistentIdentifier: record.persistentIdentifier,
      entity: plan.mapping.new,
      values: values
    )
    result.version = record.version
    return result
  }

  private func value(
    at index: Int,
    of record: DefaultSnapshot,
    _ plan: Plan,
    _ note: (RowProblems.Fault, [PersistentIdentifier]) -> Void
  ) -> StoreValue {
    let (mapping, row) = (plan.mapping, record.persistentIdentifier)
    var value = StoreValue.null
    switch mapping.sources[index] {
    case .missing: break
    case .same(let position), .ordered(let position): value = remaining(record.values[position])
    case .converted(let position, let type):
      guard let fitting = record.values[position].converted(to: type) else {
        note(.unfit, [])
        return .null
      }
      value = fitting
    case .oneToMany(let position):
      value = .identifiers(remaining(record.values[position]).identifiers)
    case .listed(let position):
      let members = referrers(of: row, by: plan.owners[index])
      value = .identifiers(MemberOrder.ordered(members, by: record.values[position].identifiers))
    case .owners:
      let owners = referrers(of: row, by: plan.owners[index]).sorted()
      let isToOne = mapping.new.properties[index].isToOne
      if isToOne, owners.count > 1 { note(.shared, Array(owners.prefix(3))) }
      value =
        isToOne ? owners.first.map(StoreValue.identifier) ?? .null : .identifiers(owners)
    }
    if value.isNull {
      value = mapping.initialValue(at: index)?() ?? mapping.fallback(at: index)
    }
    if value.isNull, plan.isRequired[index] { note(.absent, []) }
    return value
  }

  private func referrers(
    of row: PersistentIdentifier,
    by owners: [RowMapping.Owner]
  ) -> [PersistentIdentifier] {
    let place = place(row)
    return owners.flatMap { referrers[$0]?[place] ?? [] }
  }

  /// Returns a value without references to rows that are removed with their entities.
  private func remaining(_ value: StoreValue) -> StoreValue {
    guard !removed.isEmpty else { return value }
    return value.mappingReferences { removed.contains(place($0)) ? nil : $0 }
  }
}

extension RowMapping {
  /// Returns the older relationships of the rows that a source consists of.
  fileprivate func owners(of source: Source, in schema: StoreSchema) -> [Owner] {
    switch source {
    case .owners(let owners): return owners
    case .listed(let position):
      guard let relationship = old.properties[position].relationship,
        let inverse = relationship.inverse
      else { return [] }
      return schema.family(of: relationship.destination).compactMap { entity in
        entity.indexByName[inverse].map { Owner(entity: entity.name, position: $0) }
      }
    default: return []
    }
  }
}
