import Foundation
import StoreProtocol

extension MachinePlayer {
  /// Returns a batch without what the store cannot do or never had.
  ///
  /// Nor has it updates that change nothing, of which the contract leaves open what becomes of them.
  func prepared(_ batch: MachineBatch) throws -> MachineBatch {
    var batch = batch
    let known = { (number: Int64) in names.identifiers[model.row(of: number)] != nil }
    // A batch is repeated after it threw; in a reduced case it may not have thrown.
    batch.inserted = batch.inserted.filter { !known($0.number) }
    let new = Set(batch.inserted.map(\.number))
    batch.updated = batch.updated.filter { known($0.number) }
    batch.deleted = batch.deleted.filter(known)
    if batch.deleted.isEmpty { batch.cleared = [:] }
    func knownReferences(_ row: DifferentialRow) -> DifferentialRow {
      var row = row
      row.values = row.values.mapValues { value in
        value.mappingReferences { one in
          one.integerKey.map { new.contains($0) || known($0) } == true ? one : nil
        }
      }
      return row
    }
    batch.inserted = batch.inserted.map(knownReferences)
    batch.updated = batch.updated.map(knownReferences)
    if capabilities.batchDelete != .native { batch.bulk = [] }
    // Whether a bulk change or a delete rule deletes a row of both is left to the store.
    let deletesInBulk = batch.bulk.contains(where: \.isDeletion)
    batch.cascaded = deletesInBulk ? [] : batch.cascaded.intersection(batch.deleted)
    if !capabilities.uniqueness.isSupported { batch.requiresNew = false }
    if nextKey == nil { (batch.keys, batch.nextKey) = ([:], nil) }
    if try history == nil { batch.readers = [:] }
    for _ in 0..<3 {
      guard let after = try outcome(batch)?.model else { break }
      batch.updated = batch.updated.compactMap { changed($0, batch, after) }
    }
    // Whether the earlier of two updates, or of two records that become one row, protects a
    // relationship is left to the store, as is which keys are free after a merged record.
    var plain = batch
    (plain.protects, plain.keys, plain.expecting) = (false, [:], [:])
    let effect = try outcome(plain)?.effect
    let became = effect?.became.values.compactMap(\.integerKey) ?? []
    if effect?.merged.isEmpty == false { batch.keys = batch.keys.filter { $0.value >= 0 } }
    let isEachOnce =
      Set(batch.updated.map(\.number)).count == batch.updated.count
      && Set(became).count == became.count
    batch.protects =
      batch.protects && isEachOnce && batch.bulk.isEmpty && capabilities.versions == .native
    let touched = Set(batch.updated.map(\.number) + batch.deleted)
    batch.expecting = batch.expecting.filter { number, _ in
      touched.contains(number) && batch.bulk.isEmpty && capabilities.versions == .native
    }
    return batch
  }

  /// Returns an update without the values that a row has already, or `nil` if none is left.
  private func changed(
    _ update: DifferentialRow,
    _ batch: MachineBatch,
    _ after: ContractModel
  ) -> DifferentialRow? {
    var update = update
    let number = model.row(of: update.number)
    guard let old = model.rows[number], let new = after.rows[number] else { return update }
    let gone = Set(model.rows.keys).subtracting(after.rows.keys)
    update.values = update.values.filter { name, _ in
      guard let property = old.entity.property(named: name) else { return false }
      if batch.cleared[update.number]?.contains(name) == true { return true }
      if property.isDerivedToMany {
        return model.members(property, of: number) != after.members(property, of: number)
      }
      return old.values[name]?.without(gone) != new.values[name]
    }
    return update.values.isEmpty ? nil : update
  }

  /// Returns the model after a batch, or `nil` if a store must throw.
  private func outcome(
    _ batch: MachineBatch
  ) throws -> (model: ContractModel, effect: ContractModel.Effect)? {
    do {
      return try model.applying(batch)
    } catch is ContractModel.Refusal {
      return nil
    }
  }

  mutating func save(_ batch: MachineBatch) throws {
    let request = try MachineRequest(batch, model, names, nextKey: nextKey)
    guard let (next, effect) = try outcome(batch) else {
      try expect(
        "a batch that breaks the contract",
        throws: .conflict,
        .uniqueConflict,
        .invalidValue
      ) { _ = try bench.store.apply(request.changes) }
      return
    }
    let result = try StoreEnvironment.$current.withValue(batch.environment) {
      try bench.store.apply(request.changes)
    }
    try accept(result, request, next, effect)
  }

  /// Saves from another thread while this one reads, which must see the state before or after.
  mutating func saveMeanwhile(_ batch: MachineBatch) throws {
    guard let (next, effect) = try outcome(batch) else { return try save(batch) }
    let before = model
    let request = try MachineRequest(batch, model, names, nextKey: nextKey)
    let store = try bench.untraced
    let saved = Shared<StoreChangesResult?>(nil)
    let roots = model.schema.entities.filter { $0.superentity == nil }.map(\.name)
    let elsewhere = Shared<[[PersistentIdentifier]]>([])
    let questions = MachineQuestion.picture(model, names)
    let pause = questions.count / 3
    var found: [MachineQuestion.Found] = []
    try store.readingOneState {
      for (index, question) in questions.enumerated() {
        if index == pause {
          let changes = request.changes
          try ConcurrencyRules.onThreads(1) { _ in
            let result = try StoreEnvironment.$current.withValue(batch.environment) {
              try store.apply(changes)
            }
            let rows = try roots.map { try store.identifiers(StoreQuery(entity: $0)) }
            saved.withLock { $0 = result }
            elsewhere.withLock { $0 = rows }
          }
        }
        found.append(try question.found(store))
      }
    }
    guard let result = saved.value else {
      throw RuleViolation("the body of readingOneState", expected: "to run", found: "otherwise")
    }
    try accept(result, request, next, effect)
    for (root, rows) in zip(roots, elsewhere.value) {
      let numbers = rows.map { names.inNumbers($0).integerKey ?? 0 }
      let subject = "the rows of \(root) for the other thread (DIRECT-008)"
      try expect(subject, numbers, equals: model.numbers(of: root))
    }
    let results = found.map { $0(names) }
    let old = try questions.map { try $0.expected(before) }
    let new = try questions.map { try $0.expected(model) }
    let isNew = results[pause...] == new[pause...]
    for (index, question) in questions.enumerated() where index < pause || !isNew {
      let seen = MachineQuestion(
        "in one state (DIRECT-008, DIRECT-009): \(question.subject)",
        question.sentences,
        expected: question.expected,
        found: question.found
      )
      try seen.compare(results[index], with: old[index])
    }
  }

  /// Compares the result of a save, and adopts what the contract leaves to the store.
  private mutating func accept(
    _ result: StoreChangesResult,
    _ request: MachineRequest,
    _ next: ContractModel,
    _ effect: ContractModel.Effect
  ) throws {
    try checkRecords(result, request, effect)
    let before = model
    model = next
    try expect(
      "the rows that bulk changes deleted (BATCH-004)",
      Set(result.deleted.map { names.inNumbers($0).integerKey ?? 0 }),
      equals: effect.bulkDeleted
    )
    try expect(
      "the rows that bulk changes updated (BATCH-004)",
      Set(result.updated.map { names.inNumbers($0).integerKey ?? 0 })
        .subtracting(effect.bulkDeleted),
      equals: effect.bulkUpdated.subtracting(effect.bulkDeleted)
    )
    if capabilities.versions == .native {
      let lost = Set(result.changedByStore.map { names.inNumbers($0).integerKey ?? 0 })
      // A merged row may also have lost some before, or have got another value instead of a lost one.
      let required = effect.losing.subtracting(effect.mergedRows)
      let allowed = effect.mayLose.union(effect.mergedRows)
      let isRight = lost.isSuperset(of: required) && lost.isSubset(of: allowed)
      let subject = "the rows that lost references, \(lost.sorted()) (VERSION-018)"
      try expect(subject, isRight, "\(required.sorted())")
    }
    try checkVersions(result.version, effect, before)
    if !effect.changes.isEmpty { unwatched.append(result.version) }
    for reader in request.changes.readers { model.history.readers[reader.name] = reader }
    guard let history = try history, !effect.changes.isEmpty else { return }
    let own = StoreHistoryQuery(filter: .number(.equal, result.version))
    guard let transaction = try history.transactions(own).first else {
      throw RuleViolation(
        "the history (HIST-001)",
        expected: "a transaction \(result.version)",
        found: "none"
      )
    }
    model.history.append(
      ContractHistory.Transaction(
        number: result.version,
        save: request.changes.saveIdentifier,
        timestamp: transaction.timestamp,
        author: request.changes.editingState.author,
        changes: effect.changes
      )
    )
  }

  /// Compares the rows that new records became.
  private mutating func checkRecords(
    _ result: StoreChangesResult,
    _ request: MachineRequest,
    _ effect: ContractModel.Effect
  ) throws {
    let identifiers = try result.identifiers(of: request.changes, in: bench.untraced)
    try expect("the new records", identifiers.count, equals: request.records.count)
    let merged = Set(effect.merged.compactMap { request.temporary[$0] })
    try expect("the merged records (UNIQUE-001)", result.merged, equals: merged)
    var next = nextKey
    for (record, identifier) in zip(request.records, identifiers) {
      guard let row = effect.became[record.number]?.integerKey, row == record.number else {
        let row = effect.became[record.number]?.integerKey ?? 0
        let text = "the row that record \(record.number) became (UNIQUE-001)"
        try expect(text, identifier, equals: names.identifiers[row] ?? identifier)
        continue
      }
      let temporary = record.record.persistentIdentifier
      try expect("the entity (IDENT-001)", identifier.entityName, equals: temporary.entityName)
      try expect("\(identifier) (IDENT-004)", !names.isUsed(identifier), "an identifier of its own")
      if let lastNew {
        let isLater = lastNew.key.isBelow(identifier.key)
        try expect("\(identifier) (IDENT-002)", isLater, "a key after that of \(lastNew)")
      }
      if let key = next, merged.isEmpty {
        let expected = request.changes.keys[temporary] ?? key
        try expect("the key of a row (IDENT-016)", identifier.integerKey, equals: expected)
        next = expected + 1
      }
      lastNew = identifier
      names.add(identifier, as: record.number)
    }
    let key = try bench.untraced.nextKey()
    if let expected = next.map({ max($0, request.changes.nextKey ?? $0) }), let key {
      // A merged record may have used a key (UNIQUE-025).
      let isRight = merged.isEmpty ? key == expected : key >= expected
      try expect("the next key \(key) (IDENT-016)", isRight, "\(expected)")
    }
    nextKey = key
  }

  /// Compares the versions of all rows.
  private mutating func checkVersions(
    _ version: Int64,
    _ effect: ContractModel.Effect,
    _ before: ContractModel
  ) throws {
    guard capabilities.versions == .native else { return }
    let text = "the number of the save (VERSION-001, VERSION-012)"
    try expect(text, version, >, lastSave, "greater than \(lastSave)")
    lastSave = version
    var own: [Int64: Bool] = [:]
    for change in effect.changes { change.row.integerKey.map { own[$0] = change.isOwn } }
    for entity in model.schema.entities where entity.superentity == nil {
      for record in try bench.untraced.fetch(StoreQuery(entity: entity.name)) {
        let number = names.inNumbers(record.persistentIdentifier).integerKey ?? 0
        // Rows that must not be there are found by the comparison of all rows.
        guard model.rows[number] != nil else { continue }
        let old = before.rows[number]?.version
        let isRight =
          switch own[number] {
          case true?: record.version == version
          case false?: record.version == version || record.version == old
          case nil: record.version == old
          }
        try expect(
          "version \(record.version) of row \(number) (VERSION-002, VERSION-005)",
          isRight,
          own[number] == true ? "\(version)" : "\(old ?? 0)"
        )
        model.setVersion(record.version, of: number)
      }
    }
  }
}

extension MachineBatch {
  /// The environment of the save: its time, by which transactions are sorted.
  fileprivate var environment: StoreEnvironment {
    let time = Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(time))
    return StoreEnvironment(now: { time })
  }
}

extension PersistentIdentifier.Key {
  fileprivate func isBelow(_ other: Self) -> Bool {
    PersistentIdentifier(self, of: "") < PersistentIdentifier(other, of: "")
  }
}
