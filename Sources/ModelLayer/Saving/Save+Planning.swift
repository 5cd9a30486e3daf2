import StoreProtocol

extension Save {
  /// Adds a bulk change that is left to the store.
  mutating func add(_ effect: BulkEffect) {
    switch effect {
    case .change(let change): changes.bulkChanges.append(change)
    case .values(let updates):
      changes.updates += RowRun.runs(of: updates)
      unseen += updates.map(\.identifier)
    }
  }

  /// Expects rows at the versions from which their objects were read, where saves of others matter.
  ///
  /// They do for all rows if the policy compares them, for rows that must agree with those at the
  /// other end of a relationship, and for deleted rows on whose relationships delete rules rest.
  ///
  /// - Throws: ``DataStoreError/unsupportedFeature`` if the policy needs versions, and the store
  ///   does not check them itself.
  mutating func compareVersions(by policy: MergePolicy) throws {
    let needsVersions = policy.needsVersions
    if needsVersions {
      try checkVersions()
    } else {
      guard
        changedRuns.contains(where: \.registration.facts.hasPairs)
          || deletedRuns.contains(where: \.registration.facts.hasOwnRules),
        store.capabilities.versions == .native
      else { return }
    }
    comparesVersions = true
    let paired = needsVersions ? [] : rowsChangedAtBothEnds
    for model in models
    where needsVersions || paired.contains(model.persistentModelID) || Self.hasOwnRules(model) {
      changes.expectedVersions[model.persistentModelID] = model._$state.version
    }
  }

  /// Refuses a save whose merge policy the store does not support.
  private func checkVersions() throws {
    guard let run = changedRuns.first ?? deletedRuns.first else { return }
    let support = store.capabilities.versions
    guard support != .native else { return }
    var reason = "the store does not check them itself"
    if case .unsupported(let text) = support { reason = text }
    throw DataStoreError(
      .unsupportedFeature,
      "the merge policy needs row versions: \(reason); use mergeByProperty",
      entity: run.registration.entity.name
    )
  }

  /// The rows that are changed together with those at the other end of a relationship.
  ///
  /// The two rows must continue to agree, so that no row is written over the change of another
  /// save.
  private var rowsChangedAtBothEnds: Set<PersistentIdentifier> {
    let schema = store.schema.storeSchema
    let runs = changes.updates.filter { run in
      let properties = schema.entity(named: run.entityName)?.properties ?? []
      return run.properties.contains {
        properties.indices.contains($0) && properties[$0].isKeptByBothEnds
      }
    }
    return Set(runs.flatMap(\.identifiers))
  }

  /// Whether an object is deleted, and delete rules apply to relationships that its row contains.
  private static func hasOwnRules(_ model: any PersistentModel) -> Bool {
    model.isMarkedDeleted && model.registration?.facts.hasOwnRules == true
  }
}

/// The saves of some unsaved changes while they are planned, one for each store that has any.
struct SavePlanner {
  let editingState: EditingState
  let origin: SaveOrigin
  let requiresNew: Bool
  let pending: PendingChanges
  let objects: PendingObjects
  /// Returns the changes that the encoding of values has made, or `nil` if there are none so far.
  let changes: () -> ChangesDuringSave?
  var saves: [Save] = []
  /// The order of keys, which only relationships and values that are encoded need.
  lazy var keys = KeyOrder(inserting: objects.inserted.models, during: changes)

  /// Returns the index of the save to a store, which is added if there is none.
  mutating func index(of store: any RecordStore) -> Int {
    if let index = saves.firstIndex(where: { $0.store === store }) { return index }
    var changes = StoreChanges(editingState: editingState, origin: origin)
    changes.requiresNew = requiresNew
    saves.append(Save(store: store, changes: changes))
    return saves.count - 1
  }

  /// Adds all objects that changed.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` if a value cannot be encoded.
  mutating func addObjects() throws {
    let orders = pending.touched.isEmpty ? nil : try MemberOrders(pending, keys: keys)
    for run in objects.deleted.runs { add(deleted: run) }
    for run in objects.changed.runs { try add(changed: run, orders) }
    if let orders {
      let reordered = orders.owners.filter { !$0._$state.flags.contains(.changed) }
      for run in EntityRun.runs(of: reordered) { try add(changed: run, orders) }
    }
    for run in objects.changed.runs + objects.inserted.runs
    where run.registration.hasRelationships { protectRequired(of: run) }
    for run in objects.inserted.runs { try add(inserted: run) }
  }

  private mutating func add(deleted run: EntityRun) {
    let index = index(of: run.registration.store)
    let identifiers = run.identifiers
    saves[index].deletedRuns.append(run)
    saves[index].changes.deleted += identifiers
    saves[index].changes.protectedReferences
      .formUnion(run.registration.facts.restrictingReferences)
    if pending.cascaded.isEmpty { return }
    for (model, identifier) in zip(run.models, identifiers) where pending.isCascaded(model) {
      saves[index].changes.cascaded.insert(identifier)
    }
  }

  private mutating func add(changed run: EntityRun, _ orders: MemberOrders?) throws {
    var writer: ValuesWriter?
    var cleared: [PersistentIdentifier: [Int]] = [:]
    let mayReorder = orders?.owners.isEmpty == false
    let updates = try ObjectUpdates(run, reordering: mayReorder) { model in
      let values = writer ?? ValuesWriter(run.registration, keys: keys)
      writer = values
      let changes = try values.changes(of: model, pending) + (orders?.changes(of: model) ?? [])
      let consequences = pending.consequences(among: changes, of: model)
      if !consequences.isEmpty { cleared[model.persistentModelID] = consequences }
      return changes
    }
    let index = index(of: run.registration.store)
    saves[index].changedRuns.append(run)
    saves[index].changes.updates += updates.runs
    saves[index].changes.cleared.merge(cleared) { $0 + $1 }
  }

  private mutating func add(inserted run: EntityRun) throws {
    let registration = run.registration
    let producer = try ObjectRowProducer(inserting: run, keys)
    let numbers = run.marks?.map(\.key) ?? run.models.map { $0._$state.key }
    let index = index(of: registration.store)
    saves[index].insertedRuns.append(run)
    saves[index].changes.insertions.append(
      RowRun(
        RowIdentifiers(numbers, areTemporary: true, in: registration.layout.unsavedScope),
        of: registration.entity,
        in: registration.store.identifier,
        from: producer
      )
    )
  }

  /// Protects the required relationships of objects: another save may delete the other end.
  private mutating func protectRequired(of run: EntityRun) {
    let entity = run.registration.entity
    for rule in run.registration.relationshipRules where rule.isRequired {
      let store = run.registration.store
      guard store.capabilities.versions == .native else { return }
      let reference = StoreReference(entity.properties[rule.index].name, of: entity.name)
      saves[index(of: store)].changes.protectedReferences.insert(reference)
    }
  }
}
