import ModelRuntime
import StoreProtocol

/// Reverts one transaction, object by object.
struct HistoryReversal {
  private let context: ContextState
  private let schema: StoreSchema
  private let changes: StoreTransaction.Changes
  private let number: Int64
  private let later: [PersistentIdentifier: [StoreChange]]
  private var finding: SnapshotFinding
  /// The new objects that replace deleted ones.
  private var made: [PersistentIdentifier: any PersistentModel] = [:]
  /// The deleted rows that are created again.
  private let gone: [PersistentIdentifier: StoreChange]
  /// The rows that are being created, since one may require another.
  private var inProgress: Set<PersistentIdentifier> = []

  /// Reads the transaction and those after it.
  init(_ number: Int64, of store: any HistoryKeeping, in context: ContextState) throws {
    self.context = context
    self.number = number
    schema = context.core.schema.storeSchema
    finding = SnapshotFinding(in: context)
    context.feed.applySavesOfOthers()
    context.processPendingChanges()
    let filter = StoreHistoryFilter.number(.greaterOrEqual, number)
    let found = try store.transactions(StoreHistoryQuery(filter: filter))
    guard let own = found.first, own.number == number, try store.historyBounds().cut < number else {
      throw SwiftDataError.historyTokenExpired.with(
        "the history no longer has transaction \(number), or not all transactions after it"
      )
    }
    try store.checkChangeCount(of: found)
    changes = own.changes
    later = Dictionary(grouping: found.dropFirst().flatMap(\.changes), by: \.identifier)
    gone = Dictionary(
      firstOf: own.changes.filter { $0.kind == .delete }.map { ($0.identifier, $0) }
    )
  }

  /// Checks everything, and then changes the objects.
  mutating func run() throws {
    for change in changes { try check(change) }
    let stored = changes.filter { $0.kind != .delete }
    try finding.read(Set(stored.map(\.identifier)))
    for change in stored { try checkObject(of: change) }
    for change in changes where change.kind == .delete {
      _ = try object(deleted: change.identifier)
    }
    for change in changes where change.kind == .update {
      guard let model = try finding.model(stored: change.identifier) else { continue }
      try restore(model, to: change.before, change.properties)
    }
    for change in changes where change.kind == .delete {
      guard let model = made[change.identifier] else { continue }
      try restore(model, to: change.before, relationships(of: change.identifier.entityName))
    }
    for change in changes where change.kind != .insert { try reorder(change) }
    for change in changes where change.kind == .insert {
      if let model = try finding.model(stored: change.identifier) { delete(model) }
    }
  }

  private func delete(_ model: any PersistentModel) {
    func delete<M: PersistentModel>(_ model: M) { context.delete(model) }
    delete(model)
  }

  // Checks for conflicts

  private func check(_ change: StoreChange) throws {
    let rivals = later[change.identifier] ?? []
    let touched = Set(change.properties)
    let hasConflict = rivals.contains { rival in
      change.kind != .update || rival.kind != .update
        || !touched.isDisjoint(with: rival.properties)
    }
    if hasConflict {
      throw DataStoreError(
        .conflict,
        "a later save changed \(change.identifier); revert that save before transaction \(number)",
        entity: change.identifier.entityName,
        identifiers: [change.identifier]
      )
    }
    try checkValues(of: change)
  }

  private func checkValues(of change: StoreChange) throws {
    guard let entity = schema.entity(named: change.identifier.entityName) else {
      throw DataStoreError(
        .schemaMismatch,
        "the schema no longer has this model",
        entity: change.identifier.entityName
      )
    }
    let wanted: [String]
    switch change.kind {
    case .insert: return
    case .update: wanted = change.properties
    case .delete: wanted = entity.properties.map(\.name)
    }
    for name in wanted where change.before[name] == nil && entity.property(named: name) != nil {
      throw DataStoreError(
        .unsupportedFeature,
        "the history does not have the earlier values of \(change.identifier); open the store "
          + "with the option history=values to record them from now on",
        entity: entity.name,
        property: name,
        identifiers: [change.identifier]
      )
    }
  }

  private mutating func checkObject(of change: StoreChange) throws {
    let model = try finding.model(stored: change.identifier)
    if let model, !model._$state.flags.contains(.changed) { return }
    throw DataStoreError(
      .conflict,
      model == nil
        ? "\(change.identifier) is deleted; roll back or revert the deletion first"
        : "\(change.identifier) has unsaved changes; save or roll back first",
      entity: change.identifier.entityName,
      identifiers: [change.identifier]
    )
  }

  // Changes of objects

  /// Returns the new object that replaces a deleted row.
  private mutating func object(
    deleted identifier: PersistentIdentifier
  ) throws -> (any PersistentModel)? {
    if let existing = made[identifier] { return existing }
    guard let change = gone[identifier], inProgress.insert(identifier).inserted,
      let registration = context.registration(named: identifier.entityName)
    else { return nil }
    var record = SnapshotRecord(registration.layout, identifier: nil)
    var targets: [Int: any PersistentModel] = [:]
    for (index, property) in registration.entity.properties.enumerated() {
      guard let value = change.before[property.name] else { continue }
      if property.relationship == nil {
        record.contents[index] = .value(value)
      } else if property.isToOne, !property.isOptional, case .identifier(let one) = value {
        targets[index] = try object(of: one)
      }
    }
    let row = SnapshotRow(record, targets: targets, entity: registration.entity)
    let model = try registration.layout.type.init(_$row: row)
    context.insertGraph(model)
    made[identifier] = model
    return model
  }

  /// Returns the current object of an earlier reference.
  private mutating func object(
    of identifier: PersistentIdentifier
  ) throws -> (any PersistentModel)? {
    if gone[identifier] != nil { return try object(deleted: identifier) }
    return try finding.model(stored: identifier)
  }

  private func relationships(of entity: String) -> [String] {
    (schema.entity(named: entity)?.properties ?? []).filter { $0.relationship != nil }.map(\.name)
  }

  private mutating func restore(
    _ model: any PersistentModel,
    to values: [String: StoreValue],
    _ names: [String]
  ) throws {
    let layout = ModelLayout.of(type(of: model))
    for name in names {
      guard let index = layout.index(named: name), let value = values[name] else { continue }
      let property = layout.properties[index]
      property.read(on: model)
      guard property.shape != nil else {
        try property.set(value, on: model)
        continue
      }
      // The related objects restore it from their own end; the row keeps no more than their order.
      if isDerived(name, of: model) { continue }
      var objects: [any PersistentModel] = []
      for reference in value.identifiers {
        if let object = try object(of: reference) { objects.append(object) }
      }
      if objects.isEmpty, property.shape?.isToMany == false, property.shape?.isOptional == false {
        continue
      }
      try property.relate(objects, on: model)
    }
  }

  private func isDerived(_ name: String, of model: any PersistentModel) -> Bool {
    model.registration?.entity.property(named: name)?.isDerivedToMany == true
  }

  /// Restores the order of related objects, whose own ends were restored before.
  ///
  /// A stored order may list rows that no longer referred to their owner.
  private mutating func reorder(_ change: StoreChange) throws {
    let identifier = change.identifier
    guard let model = try made[identifier] ?? finding.model(stored: identifier) else { return }
    let layout = ModelLayout.of(type(of: model))
    let isDeleted = change.kind == .delete
    for name in isDeleted ? relationships(of: identifier.entityName) : change.properties
    where isDerived(name, of: model) {
      guard let index = layout.index(named: name), let value = change.before[name] else { continue }
      let members = model.related(at: index).filter { !$0.isDeleted }
      let former = Dictionary(firstOf: made.map { (ObjectIdentifier($1), $0) })
      let identifiers = members.map { former[ObjectIdentifier($0)] ?? $0.persistentModelID }
      let byIdentifier = Dictionary(firstOf: zip(identifiers, members))
      let ordered = MemberOrder.ordered(identifiers, by: value.identifiers)
      if ordered != identifiers {
        try layout.properties[index].relate(ordered.compactMap { byIdentifier[$0] }, on: model)
      }
    }
  }
}
