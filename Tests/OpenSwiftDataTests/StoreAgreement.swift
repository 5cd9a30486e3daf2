import OpenSwiftData

@testable import StoreConformance

/// Compares stores with each other: equal requests must have equal results in all of them.
///
/// Unlike the rules, which check the contract, this also finds differences where the contract
/// leaves a choice. Create the stores empty, with ``StoreAgreement/schema``.
struct StoreAgreement {
  /// The schema that the stores must be opened with.
  static var schema: Schema { Sample.schema }

  private let stores: [any RecordStore]
  private var random: RandomChanges
  private let seed: UInt64

  /// Creates a comparison; the other stores are compared with the first one.
  init(_ stores: [any RecordStore], seed: UInt64) {
    self.stores = stores
    self.seed = seed
    random = RandomChanges(source: RandomSource(seed: seed))
  }

  /// Applies random batches to all stores and compares everything after each.
  ///
  /// Batches for which all stores throw the same error count as equal.
  ///
  /// - Throws: A ``RuleViolation`` that names the seed, the step and the first difference.
  mutating func checkChanges(steps: Int) throws {
    for step in 1...steps {
      guard let first = stores.first else { return }
      let changes = try random.batch(over: try Self.identifiers(of: first))
      let outcomes = stores.map { Outcome(of: changes, on: $0) }
      for (store, outcome) in zip(stores, outcomes) {
        let subject = "seed \(seed), step \(step): \(type(of: store))"
        try expect("the outcome, \(subject)", outcome, equals: outcomes[0])
        for entity in Self.roots {
          try Self.compare(
            Self.rows(of: entity, in: store),
            Self.rows(of: entity, in: first),
            subject
          )
        }
      }
    }
  }

  /// Runs random queries on all stores and compares the results.
  ///
  /// - Throws: A ``RuleViolation`` that names the seed, the query and the difference.
  mutating func checkQueries(count: Int) throws {
    guard let first = stores.first else { return }
    var queries = QueryGenerator(source: random.source, rows: try Self.identifiers(of: first))
    for number in 1...count {
      let asked = queries.query()
      let expected = try first.identifiers(asked).map(\.description)
      for store in stores {
        let query = asked.replacingIdentifiers { $0.moved(to: store.identifier) }
        let subject = "seed \(seed), query \(number), \(type(of: store)): \(query)"
        let found = try store.fetch(query).map(\.persistentIdentifier.description)
        try expect(subject, found, equals: expected)
        try expect("the count, \(subject)", store.count(query), equals: expected.count)
      }
    }
    random.source = queries.source
  }

  private static var roots: [StoreEntity] {
    schema.storeSchema.entities.filter { $0.superentity == nil }
  }

  private static func identifiers(of store: any RecordStore) throws -> [PersistentIdentifier] {
    try roots.flatMap { try store.identifiers(StoreQuery(entity: $0.name)) }
  }

  private static func compare(
    _ found: [String: [String: StoreValue]],
    _ expected: [String: [String: StoreValue]],
    _ subject: String
  ) throws {
    try expect("the rows, \(subject)", found.keys.sorted(), equals: expected.keys.sorted())
    for (row, values) in expected {
      for (name, value) in values {
        try expect("\(name) of \(row), \(subject)", found[row]?[name], equals: value)
      }
    }
  }

  /// Returns the contents of an entity, without values that differ between stores.
  private static func rows(
    of entity: StoreEntity,
    in store: any RecordStore
  ) throws -> [String: [String: StoreValue]] {
    let records = try store.fetch(StoreQuery(entity: entity.name))
    var rows: [String: [String: StoreValue]] = [:]
    for record in records {
      let values = record.values.map(\.withoutStore)
      rows[record.persistentIdentifier.description] = Dictionary(
        zip(record.names.names, values),
        uniquingKeysWith: { $1 }
      )
    }
    let owners = records.map(\.persistentIdentifier)
    for property in entity.properties where property.isToMany {
      let members = try store.members(of: property.name, in: entity.name, owners: owners)
      for owner in owners {
        let list = StoreValue.identifiers(members[owner] ?? [])
        rows[owner.description]?[property.name] = list.withoutStore
      }
    }
    return rows
  }
}

/// The result of a batch in one store.
private enum Outcome: Equatable {
  case saved([PersistentIdentifier: String], merged: Set<PersistentIdentifier>)
  case refused(DataStoreError)
  case failed(String)

  init(of changes: StoreChanges, on store: any RecordStore) {
    do {
      let result = try store.apply(changes.moved(to: store.identifier))
      self = .saved(result.remapped.mapValues(\.description), merged: result.merged)
    } catch let error as DataStoreError {
      self = .refused(error)
    } catch {
      self = .failed("\(error)")
    }
  }
}

extension StoreChanges {
  /// Returns the same changes to the rows of another store with the same keys.
  fileprivate func moved(to store: String) -> StoreChanges {
    StoreChanges(
      inserted: inserted.map { record in
        var moved = record
        moved.values = record.values.map { $0.moved(to: store) }
        return moved
      },
      updated: updated.map { update in
        StoreUpdate(
          identifier: update.identifier.moved(to: store),
          changes: update.changes.map { .init($0.index, $0.value.moved(to: store)) }
        )
      },
      deleted: deleted.map { $0.moved(to: store) },
      editingState: editingState
    )
  }
}

extension PersistentIdentifier {
  fileprivate func moved(to store: String) -> PersistentIdentifier {
    guard !isTemporary else { return self }
    return PersistentIdentifier(
      scope: Scope(storeIdentifier: store, entityName: entityName),
      key: key
    )
  }
}

extension StoreValue {
  fileprivate func moved(to store: String) -> StoreValue {
    switch self {
    case .identifier(let one): .identifier(one.moved(to: store))
    case .identifiers(let list): .identifiers(list.map { $0.moved(to: store) })
    default: self
    }
  }

  /// The value with the keys of rows instead of their identifiers.
  fileprivate var withoutStore: StoreValue {
    switch self {
    case .identifier(let one): .string("\(one.integerKey ?? 0)")
    case .identifiers(let list): .array(list.map { .string("\($0.integerKey ?? 0)") })
    default: self
    }
  }
}
