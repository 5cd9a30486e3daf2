import StoreProtocol

/// The changes of saves for observers: the rows by hierarchy, and their properties.
///
/// It may report too much, but never too little: a change that is not known row by row is reported
/// for a whole hierarchy, or for everything.
struct SavedChanges: Sendable {
  /// The changed rows of one hierarchy.
  struct Rows: Sendable {
    /// A new row, with values that the save wrote.
    typealias NewRow = (row: PersistentIdentifier, saved: [StoreUpdate.Change])

    private static let mostListed = 5_000

    /// New rows.
    private(set) var inserted: Set<PersistentIdentifier> = []
    /// Changed rows with the bits of their changed properties.
    private(set) var updated: [PersistentIdentifier: UInt64] = [:]
    /// Removed rows.
    private(set) var deleted: Set<PersistentIdentifier> = []
    /// The bits of all properties that changed in rows of an entity.
    private(set) var properties: [String: UInt64] = [:]
    /// The entities with rows that were added or removed.
    private(set) var entitiesWithMembershipChanges: Set<String> = []
    /// Values of listed rows, as far as they are available and filters compare them with stored
    /// ones.
    private var values: [PersistentIdentifier: [StoreUpdate.Change]] = [:]
    /// Whether rows changed that are not listed.
    var hasOthers = false

    /// Notes new or removed rows that are too many to be listed, and returns whether they are.
    mutating func changeMembershipOfMany(_ count: Int, of entity: String) -> Bool {
      guard !mayList(count) else { return false }
      entitiesWithMembershipChanges.insert(entity)
      return true
    }

    /// Notes changed rows that are too many to be listed, and returns whether they are.
    mutating func updateMany(_ count: Int, of entity: String, _ bits: UInt64) -> Bool {
      guard !mayList(count) else { return false }
      properties[entity, default: 0] |= bits
      return true
    }

    /// Notes a new row.
    mutating func insert(_ row: PersistentIdentifier) { insert([(row, [])], of: row.entityName) }

    /// Notes new rows of one entity, with some of their values.
    mutating func insert(_ rows: [NewRow], of entity: String) {
      entitiesWithMembershipChanges.insert(entity)
      guard mayList(rows.count) else { return }
      inserted.reserveCapacity(inserted.count + rows.count)
      values.reserveCapacity(values.count + rows.count)
      for (row, saved) in rows {
        inserted.insert(row)
        note(saved, of: row)
      }
    }

    /// Notes a changed row.
    mutating func update(
      _ row: PersistentIdentifier,
      _ bits: UInt64,
      _ saved: [StoreUpdate.Change] = []
    ) {
      properties[row.entityName, default: 0] |= bits
      guard mayList() else { return }
      updated[row, default: 0] |= bits
      note(saved, of: row)
    }

    /// Returns the value of a row's property, or its value before the deletion, or `nil` if it is
    /// not known.
    func value(of row: PersistentIdentifier, at index: Int) -> StoreValue? {
      values[row]?.first { $0.index == index }?.value
    }

    /// Returns the required values that a property has in the rows, or `nil` if that of one is not known
    /// or has changed.
    ///
    /// A changed value was another before.
    func values(
      of property: String,
      _ schema: StoreSchema,
      where isRequired: (StoreValue) -> Bool
    ) -> Set<StoreValue>? {
      if hasOthers { return nil }
      var found: Set<StoreValue> = []
      // Rows of one entity mostly have one scope.
      var last: (scope: PersistentIdentifier.Scope, index: Int?)?
      for row in [Array(inserted), Array(updated.keys), Array(deleted)].joined() {
        if last?.scope !== row.scope {
          last = (row.scope, schema.entity(named: row.entityName)?.indexByName[property])
        }
        guard let index = last?.index, (updated[row] ?? 0) & _ModelState.bit(index) == 0,
          let value = value(of: row, at: index)
        else { return nil }
        if isRequired(value) { found.insert(value) }
      }
      return found
    }

    private mutating func note(_ saved: [StoreUpdate.Change], of row: PersistentIdentifier) {
      // A row without a value has none that a filter requires.
      let known = saved.filter { $0.value.comparesAsStored || $0.value == .null }
      // After a second change of a row nothing is known: the order of the values is lost.
      if values.updateValue(known, forKey: row) != nil { values[row] = [] }
    }

    /// Notes a removed row.
    mutating func delete(_ row: PersistentIdentifier, _ requiredValues: [StoreUpdate.Change] = []) {
      entitiesWithMembershipChanges.insert(row.entityName)
      guard mayList() else { return }
      deleted.insert(row)
      note(requiredValues, of: row)
    }

    mutating func add(_ later: Rows) {
      entitiesWithMembershipChanges.formUnion(later.entitiesWithMembershipChanges)
      properties.merge(later.properties, uniquingKeysWith: |)
      hasOthers = hasOthers || later.hasOthers
      guard mayList(later.count) else { return }
      values.merge(later.values) { _, _ in [] }
      inserted.formUnion(later.inserted)
      updated.merge(later.updated, uniquingKeysWith: |)
      deleted.formUnion(later.deleted)
    }

    private var count: Int { inserted.count + updated.count + deleted.count }

    /// Whether there is space for more; a listener that rarely reads must not accumulate
    /// everything.
    private mutating func mayList(_ more: Int = 1) -> Bool {
      guard !hasOthers, count + more > Self.mostListed else { return !hasOthers }
      hasOthers = true
      inserted = []
      updated = [:]
      deleted = []
      values = [:]
      return false
    }
  }

  /// The bits of all properties.
  static let allProperties = UInt64.max
  /// Changes without details.
  static let everything: SavedChanges = {
    var changes = SavedChanges()
    changes.isEverything = true
    return changes
  }()

  /// Whether any row may have changed.
  private(set) var isEverything = false
  /// The changed rows by the root of their hierarchy.
  private(set) var byRoot: [String: Rows] = [:]
  /// Whether the store made changes that the saving context lacks: bulk changes, and new objects
  /// that became updates.
  private(set) var affectsSavingContext = false

  /// Creates an empty list of changes.
  init() {}

  /// Whether nothing changed.
  var isEmpty: Bool { !isEverything && byRoot.isEmpty }

  /// Returns the properties that changed in any row, or `nil` if they are unknown.
  func changedProperties(_ schema: StoreSchema) -> Set<RequiredValues.PropertyKey>? {
    if isEverything || byRoot.values.contains(where: \.hasOthers) { return nil }
    var found: Set<RequiredValues.PropertyKey> = []
    for (root, rows) in byRoot {
      for (name, bits) in rows.properties {
        for (index, property) in (schema.entity(named: name)?.properties ?? []).enumerated()
        where bits & _ModelState.bit(index) != 0 {
          found.insert(RequiredValues.PropertyKey(root: root, property: property.name))
        }
      }
    }
    return found
  }

  mutating func add(_ later: SavedChanges) {
    guard !isEmpty || affectsSavingContext else {
      self = later
      return
    }
    isEverything = isEverything || later.isEverything
    affectsSavingContext = affectsSavingContext || later.affectsSavingContext
    guard !isEverything else {
      byRoot = [:]
      return
    }
    for (root, rows) in later.byRoot { byRoot[root, default: Rows()].add(rows) }
  }

  /// Notes that rows of a hierarchy changed, without details.
  mutating func noteOthers(of root: String) { byRoot[root, default: Rows()].hasOthers = true }

  /// Notes a new row.
  mutating func noteInsertion(of row: PersistentIdentifier, _ schema: StoreSchema) {
    change(row, schema) { $0.insert($1) }
  }

  /// Notes a removed row.
  mutating func noteDeletion(of row: PersistentIdentifier, _ schema: StoreSchema) {
    change(row, schema) { $0.delete($1) }
  }

  mutating func noteUpdate(
    of row: PersistentIdentifier,
    _ bits: UInt64,
    _ schema: StoreSchema
  ) {
    change(row, schema) { $0.update($1, bits) }
  }

  /// Creates the changes of a save.
  ///
  /// - Parameters:
  ///   - changes: The changes that the store was to apply.
  ///   - result: The result of the store.
  ///   - store: The identifier of the store.
  ///   - schema: The entities.
  ///   - required: The properties of which observers require values.
  ///   - requiredValues: Returns available values of a stored row that the save does not change.
  init(
    _ changes: StoreChanges,
    _ result: StoreChangesResult,
    store: String,
    schema: StoreSchema,
    required: Set<RequiredValues.PropertyKey> = [],
    requiredValues: (PersistentIdentifier) -> [StoreUpdate.Change]
  ) {
    for run in changes.updates { note(updates: run, schema, requiredValues) }
    note(changes.deleted, schema, isMany: { $0.changeMembershipOfMany($1, of: $2) }) {
      $0.delete($1, requiredValues($1))
    }
    for (index, run) in changes.insertions.enumerated() {
      let firstKey = result.firstKeys.indices.contains(index) ? result.firstKeys[index] : nil
      note(insertions: run, from: firstKey, result, store, schema, required)
    }
    if !changes.bulkChanges.isEmpty { noteBulkChanges(of: result, schema) }
  }

  /// Notes rows one by one, or those of one entity at once if they are too many to be listed.
  private mutating func note(
    _ rows: [PersistentIdentifier],
    _ schema: StoreSchema,
    isMany: (inout Rows, Int, String) -> Bool,
    _ body: (inout Rows, PersistentIdentifier) -> Void
  ) {
    var rest = rows[...]
    while let first = rest.first {
      // Rows of one entity mostly have one scope.
      let end = rest.firstIndex { $0.scope !== first.scope } ?? rest.endIndex
      let run = rest[..<end]
      rest = rest[end...]
      guard let root = schema.entity(named: first.entityName)?.root else {
        isEverything = true
        continue
      }
      if isMany(&byRoot[root, default: Rows()], run.count, first.entityName) { continue }
      for row in run { body(&byRoot[root, default: Rows()], row) }
    }
  }

  private mutating func note(
    updates run: RowRun,
    _ schema: StoreSchema,
    _ requiredValues: (PersistentIdentifier) -> [StoreUpdate.Change]
  ) {
    let bits = run.properties.reduce(0) { $0 | _ModelState.bit($1) }
    if let root = schema.entity(named: run.entityName)?.root,
      byRoot[root, default: Rows()].updateMany(run.count, of: run.entityName, bits)
    {
      return
    }
    for update in run.updates {
      let bits = update.changes.reduce(0) { $0 | _ModelState.bit($1.index) }
      let values = update.changes + requiredValues(update.identifier)
      change(update.identifier, schema) { $0.update($1, bits, values) }
    }
  }

  /// Notes new rows, which have consecutive keys unless the result names them.
  private mutating func note(
    insertions run: RowRun,
    from firstKey: Int64?,
    _ result: StoreChangesResult,
    _ store: String,
    _ schema: StoreSchema,
    _ required: Set<RequiredValues.PropertyKey>
  ) {
    guard let entity = schema.entity(named: run.entityName) else { return isEverything = true }
    if result.merged.isEmpty,
      byRoot[entity.root, default: Rows()].changeMembershipOfMany(run.count, of: entity.name)
    {
      return
    }
    let kept = entity.properties.indices.filter { index in
      required.contains(.init(root: entity.root, property: entity.properties[index].name))
    }
    let producer = run.values(for: entity)
    let writer = RecordWriter(entity, in: store)
    let scope = PersistentIdentifier.Scope(storeIdentifier: store, entityName: entity.name)
    var key = firstKey
    var new: [Rows.NewRow] = []
    new.reserveCapacity(run.count)
    for (position, identifier) in run.identifiers.enumerated() {
      let named = result.remapped.isEmpty ? nil : result.remapped[identifier]
      let next = key.map { PersistentIdentifier(scope: scope, key: .integer($0)) }
      guard let row = named ?? next else { continue }
      if named == nil { key? += 1 }
      if !result.merged.isEmpty, result.merged.contains(identifier) {
        noteMerge(into: row, schema)
        continue
      }
      if !kept.isEmpty { writer.read(position, of: producer) }
      new.append((row, kept.map { StoreUpdate.Change($0, writer.values[$0]) }))
    }
    byRoot[entity.root, default: Rows()].insert(new, of: entity.name)
  }

  /// Notes that rows changed that no object of the saving context has.
  mutating func noteUnseen() { affectsSavingContext = true }

  private mutating func noteBulkChanges(of result: StoreChangesResult, _ schema: StoreSchema) {
    affectsSavingContext = true
    let all = Self.allProperties
    note(result.updated, schema, isMany: { $0.updateMany($1, of: $2, all) }) { $0.update($1, all) }
    note(result.deleted, schema, isMany: { $0.changeMembershipOfMany($1, of: $2) }) {
      $0.delete($1)
    }
  }

  /// Notes a row that a new object became an update of; its earlier one-to-one counterparts changed
  /// too.
  private mutating func noteMerge(into row: PersistentIdentifier, _ schema: StoreSchema) {
    affectsSavingContext = true
    change(row, schema) { $0.update($1, Self.allProperties) }
    for property in schema.entity(named: row.entityName)?.properties ?? [] {
      guard property.isToOne, let relationship = property.relationship,
        relationship.inverseIsToOne, let other = schema.entity(named: relationship.destination)
      else { continue }
      noteOthers(of: other.root)
    }
  }

  private mutating func change(
    _ row: PersistentIdentifier,
    _ schema: StoreSchema,
    _ body: (inout Rows, PersistentIdentifier) -> Void
  ) {
    guard let root = schema.entity(named: row.entityName)?.root else {
      isEverything = true
      return
    }
    body(&byRoot[root, default: Rows()], row)
  }
}
