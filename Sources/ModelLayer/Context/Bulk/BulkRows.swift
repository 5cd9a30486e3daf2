import StoreProtocol

/// The rows that match a bulk change when the program makes it, with the values that it computes
/// from them.
struct BulkRows {
  /// The rows.
  private(set) var identifiers: [PersistentIdentifier] = []
  /// The new values of each row, in the order of the assignments; none if all are constant.
  private(set) var values: [PersistentIdentifier: [StoreValue]] = [:]
  /// The part of a save for the store.
  private(set) var effect: BulkEffect

  /// Reads the rows.
  ///
  /// - Throws: Errors of reading.
  init(_ change: BulkChange, in store: any RecordStore, _ schema: StoreSchema) throws {
    let entity = change.query.entity
    switch change {
    case .update(let query, let assignments) where assignments.contains { !$0.value.isConstant }:
      effect = .values([])
      try readValues(StoreSelection(query, of: assignments), store)
      effect = .values(identifiers.map { updates(of: $0, assignments, schema) })
    case .update(let query, let assignments):
      identifiers = try store.rowIdentifiers(of: query)
      effect = .change(.update(.rows(identifiers, of: entity), assignments))
    case .delete(let query):
      identifiers = try store.rowIdentifiers(of: query)
      effect = .change(.delete(.rows(identifiers, of: entity)))
    }
  }

  private mutating func readValues(
    _ selection: StoreSelection,
    _ store: any RecordStore
  ) throws {
    try store.readValues(of: selection) { columns in
      guard case .identifier(let row)? = columns.first else { return }
      identifiers.append(row)
      values[row] = Array(columns.dropFirst())
    }
  }

  private func updates(
    of row: PersistentIdentifier,
    _ assignments: [StoreAssignment],
    _ schema: StoreSchema
  ) -> StoreUpdate {
    let indexes = schema.entity(named: row.entityName)?.indexByName ?? [:]
    let changes = zip(assignments, values[row] ?? []).compactMap { assignment, value in
      indexes[assignment.property].map { StoreUpdate.Change($0, value) }
    }
    return StoreUpdate(identifier: row, changes: changes.sorted { $0.index < $1.index })
  }
}

extension PendingBulkChange {
  /// Creates a change of rows of a registration's entity, and of its subentities.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - registration: The registration.
  ///   - assign: Applies the change to an object, with the values of a change that computes some.
  init<T: PersistentModel>(
    _ rows: BulkRows,
    of registration: EntityRegistration,
    _ assign: @escaping (ContextState, T, [StoreValue]) throws -> Void
  ) {
    let entity = registration.entity.name
    let (identifiers, values) = (rows.identifiers, rows.values)
    self.init(store: registration.store, rows: identifiers, effect: rows.effect) { context in
      guard let registration = context.registration(named: entity) else { return identifiers }
      let objects: [T] = try context.loader.objects(
        of: .rows(identifiers, of: entity),
        from: registration
      )
      for object in objects { try assign(context, object, values[object.persistentModelID] ?? []) }
      let found = Set(objects.map(\.persistentModelID.key))
      return identifiers.filter { !found.contains($0.key) }
    }
  }

  /// Applies the change to objects, and returns the change of the rows that no longer exist, if that
  /// is to be refused.
  func carriedOut(in context: ContextState) throws -> PendingBulkChange? {
    let missing = try perform(context)
    guard !missing.isEmpty, !isDeletion else { return nil }
    let gone = Set(missing)
    let remaining: BulkEffect =
      switch effect {
      case .values(let updates): .values(updates.filter { gone.contains($0.identifier) })
      case .change(.update(let query, let assignments)):
        .change(.update(.rows(missing, of: query.entity), assignments))
      case .change(let change): .change(change)
      }
    return PendingBulkChange(store: store, rows: missing, effect: remaining) { _ in missing }
  }
}

extension StoreSelection {
  /// Creates a selection of the rows of a query with the new values of assignments.
  fileprivate init(_ query: StoreQuery, of assignments: [StoreAssignment]) {
    self.init(query, columns: [.value(.element(0))] + assignments.map { .value($0.value) })
  }
}

extension QueryExpression {
  fileprivate var isConstant: Bool {
    if case .constant = self { return true }
    return false
  }
}

extension StoreQuery {
  /// Whether the filter reads attributes of the rows alone.
  func readsOwnValues(_ schema: StoreSchema) -> Bool {
    QueryReach(withoutOrder, schema: schema).roots.isEmpty && !(filter?.readsObject ?? false)
  }
}
