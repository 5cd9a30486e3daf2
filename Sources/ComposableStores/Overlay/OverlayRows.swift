import QueryEvaluation
import StoreProtocol

/// The rows of a base with the edits of one state applied.
struct OverlayRows<Base: RecordStore> {
  let base: Base
  var state: OverlayState
  private var schema: StoreSchema { base.schema.storeSchema }

  func rows(_ identifiers: some Collection<PersistentIdentifier>) throws -> [DefaultSnapshot] {
    let edited = Set(identifiers.map(\.key)).compactMap { state.rows[$0]?.record }
    guard !state.hidesBase else { return edited.map(state.withStoredReferences) }
    let below = try identifiers.filter { state.rows[$0.key] == nil }.rows(in: base)
    return (edited + below).map(state.withStoredReferences)
  }

  func fetch(_ query: StoreQuery) throws -> [DefaultSnapshot] {
    _ = try schema.requiredEntity(query.entity)
    let candidates = try query.identifiers.map(rows) ?? all(of: query.entity)
    return try evaluator().evaluate(query, over: candidates.map(row)).map(\.record)
  }

  /// Returns the elements of to-many relationships of existing rows.
  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    guard let index = schema.entity(named: entity)?.indexByName[property] else { return [:] }
    let lookup = memberLookup()
    let ownersByKey = Dictionary(grouping: owners, by: \.key)
    var result: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    for record in try rows(owners) {
      let owner = try row(record)
      guard schema.isEntity(owner.entity.name, kindOf: entity) else { continue }
      let found = try lookup.members(owner, index)
      for identifier in ownersByKey[record.persistentIdentifier.key] ?? [] {
        result[identifier] = found
      }
    }
    return result
  }

  /// Returns the rows that refer to others by a relationship that is part of a unique constraint.
  func unique(referringTo others: [DefaultSnapshot]) throws -> [DefaultSnapshot] {
    let entities = Set(others.map(\.persistentIdentifier.entityName))
    let identifiers = others.map(\.persistentIdentifier)
    return try state.unique.constraints(leadingTo: entities, in: schema).flatMap { found in
      try fetch(
        StoreQuery(
          entity: found.constraint.entity,
          filter: .contains(
            .constant(.identifiers(identifiers)),
            .property(.element(0), found.property)
          )
        )
      )
    }
  }

  /// Returns the edits, with the unique values of all rows noted.
  func notingUniqueValues() throws -> OverlayState {
    var state = state
    // Edited rows first: if a later version of the base has equal values, the edited ones are
    // older.
    for entity in state.unique.entities {
      for record in try fetch(StoreQuery(entity: entity)).reversed() {
        state.unique.holdIfFree(record)
      }
    }
    return state
  }

  /// Returns all rows of an entity and of those that inherit from it.
  private func all(of entity: String) throws -> [DefaultSnapshot] {
    let family = Set(schema.family(of: entity).map(\.name))
    let edited = state.rows.values.compactMap(\.record).filter {
      family.contains($0.persistentIdentifier.entityName)
    }
    guard !state.hidesBase else { return edited.map(state.withStoredReferences) }
    let below = try base.fetch(StoreQuery(entity: entity)).filter {
      state.rows[$0.persistentIdentifier.key] == nil
    }
    return (below + edited).map(state.withStoredReferences)
  }

  private func evaluator() -> QueryEvaluator<SnapshotRow> {
    var read: [PersistentIdentifier.Key: SnapshotRow] = [:]
    return QueryEvaluator<SnapshotRow>(
      schema: schema,
      row: { identifier in
        if let cached = read[identifier.key] { return cached }
        guard let record = try rows([identifier]).first else { return nil }
        let found = try row(record)
        read[identifier.key] = found
        return found
      },
      members: memberLookup().members
    )
  }

  private func row(_ record: DefaultSnapshot) throws -> SnapshotRow {
    SnapshotRow(record, try schema.requiredEntity(record.persistentIdentifier.entityName))
  }

  private func memberLookup() -> MemberLookup {
    MemberLookup { try all(of: $0).forEach($1) }
  }
}
