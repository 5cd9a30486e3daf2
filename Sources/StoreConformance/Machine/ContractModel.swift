import Foundation
import StoreProtocol

/// The contract as the plainest program, with which the machine compares a store.
///
/// Rows are values in a dictionary. Nothing is indexed: every result is computed anew. Rows have the
/// numbers of a ``MachineCase``, which increase in the order of insertion.
struct ContractModel {
  /// A stored row.
  struct Row {
    let identifier: PersistentIdentifier
    let entity: StoreEntity
    var values: [String: StoreValue]
    var version: Int64 = 0
  }

  /// A batch for which a store must throw.
  struct Refusal: Error {
    let reason: String
  }

  /// The results of a batch beside its rows.
  struct Effect {
    /// The row that each new record became.
    var became: [Int64: PersistentIdentifier] = [:]
    /// The properties that the batch names, by row.
    var named: [Int64: Set<String>] = [:]
    /// The rows that bulk changes changed and deleted.
    var bulkUpdated: Set<Int64> = []
    var bulkDeleted: Set<Int64> = []
    /// The changes for the history.
    var changes: [ContractHistory.Change] = []
    /// The rows that lost a one-to-one counterpart by a merge.
    fileprivate(set) var detached: Set<Int64> = []
    /// The saved rows that refer to rows which earlier saves deleted.
    fileprivate(set) var losing: Set<Int64> = []
    /// Those of which a store may say that it changed them; the batch itself deletes a row, or replaces
    /// the value.
    fileprivate(set) var mayLose: Set<Int64> = []
    fileprivate var counterparts: [Counterpart] = []

    /// The new records that became rows that existed before, or that another new record became.
    var merged: Set<Int64> { Set(became.filter { $0.key != $0.value.integerKey }.keys) }
    /// The rows that new records were merged into.
    var mergedRows: Set<Int64> { Set(merged.compactMap { became[$0]?.integerKey }) }
  }

  /// A one-to-one counterpart that a row may have lost by a merge.
  fileprivate struct Counterpart {
    let row: Int64
    let property: StoreProperty
    let number: Int64
  }

  /// The relationships that a batch can protect.
  static let protected = [StoreReference("box", of: "Item"), StoreReference("tool", of: "Box")]

  let schema: StoreSchema
  /// The rows by number.
  private(set) var rows: [Int64: Row] = [:]
  /// The history.
  var history = ContractHistory()
  private var became: [Int64: Int64] = [:]

  init(_ schema: StoreSchema) { self.schema = schema }

  /// Returns the number of the row that a record became, which is usually its own.
  func row(of number: Int64) -> Int64 { became[number] ?? number }

  /// Sets the version that a save gave to a row.
  mutating func setVersion(_ version: Int64, of number: Int64) { rows[number]?.version = version }

  /// Deletes all rows; records keep the numbers that they became.
  mutating func erase() { rows = [:] }

  /// Returns the model after a batch, with its other results.
  ///
  /// - Throws: A ``Refusal`` if a store must throw.
  func applying(_ batch: MachineBatch) throws -> (model: ContractModel, effect: Effect) {
    if batch.isSpoiled { throw Refusal(reason: "an updated row never existed") }
    for (number, isCurrent) in batch.expecting where !isCurrent || rows[row(of: number)] == nil {
      throw Refusal(reason: "row \(number) has another version")
    }
    if batch.protects { for one in Self.protected { try check(one, batch) } }
    // The row that a new record becomes can depend on the rows of the records that it refers to.
    var assumed: [Int64: PersistentIdentifier] = [:]
    for _ in 0...batch.inserted.count + 1 {
      var model = self
      var effect = try model.attempt(batch, assumed)
      if effect.became == assumed {
        if batch.requiresNew, !effect.merged.isEmpty {
          throw Refusal(reason: "a record that must be new has the unique values of a row")
        }
        effect.changes = changes(to: model, effect, batch)
        for (number, row) in effect.became { model.became[number] = row.integerKey }
        return (model, effect)
      }
      assumed = effect.became
    }
    throw Refusal(reason: "each merge causes another")
  }

  /// Applies a batch, assuming that its records become some rows.
  private mutating func attempt(
    _ batch: MachineBatch,
    _ assumed: [Int64: PersistentIdentifier]
  ) throws -> Effect {
    var effect = Effect()
    let new = Set(batch.inserted.map(\.number))
    let before = rows
    var lost: [Int64: [String: Bool]] = [:]
    for change in batch.bulk { apply(change, &effect) }
    remove(Set(batch.deleted.map(row)))
    func settled(_ value: StoreValue, _ rows: [Int64: Row]) -> StoreValue {
      value.mappingReferences { one in
        guard let number = one.integerKey else { return nil }
        return new.contains(number) ? assumed[number] : rows[row(of: number)]?.identifier
      }.withoutRepeats
    }
    for update in batch.updated {
      let number = row(of: update.number)
      guard rows[number] != nil else { throw Refusal(reason: "row \(number) does not exist") }
      for (name, value) in update.values {
        let gone = missing(in: value, new)
        if !gone.isEmpty { effect.mayLose.insert(number) }
        lost[number, default: [:]][name] = gone.contains { before[row(of: $0)] == nil }
        let value = settled(value, rows)
        rows[number]?.values[name] = value
        effect.named[number, default: []].insert(name)
      }
    }
    for update in batch.updated { try checkUnique(row(of: update.number)) }
    for record in batch.inserted {
      let entity = try schema.requiredEntity(record.entity)
      var values: [String: StoreValue] = [:]
      for property in entity.properties {
        values[property.name] = settled(record.value(of: property), rows)
      }
      let own = Row(identifier: record.identifier, entity: entity, values: values)
      try insert(own, record.number, &effect)
      if let distance = batch.keys[record.number], distance < 0 {
        throw Refusal(reason: "row \(record.number) would have a key that may have been in use")
      }
      let number = effect.became[record.number]?.integerKey ?? 0
      // A record that becomes the row of an earlier one sets all of its values.
      lost[number] = [:]
      for (name, value) in record.values {
        let gone = missing(in: value, new)
        if !gone.isEmpty { effect.mayLose.insert(number) }
        lost[number, default: [:]][name] = gone.contains { before[row(of: $0)] == nil }
      }
    }
    effect.losing = losing(lost)
    effect.detached = detach(effect.counterparts)
    return effect
  }

  /// Returns the rows that a value of a batch names and that do not exist.
  private func missing(in value: StoreValue, _ new: Set<Int64>) -> [Int64] {
    value.identifiers.compactMap(\.integerKey).filter {
      !new.contains($0) && rows[row(of: $0)] == nil
    }
  }

  /// Returns the rows that lost a reference; an order may name any rows.
  private func losing(_ lost: [Int64: [String: Bool]]) -> Set<Int64> {
    Set(
      lost.filter { number, names in
        names.contains { name, isLost in
          isLost && rows[number]?.entity.property(named: name)?.isDerivedToMany == false
        }
      }.keys
    )
  }

  /// Throws if a row would lose a related row by a relationship, or would be related to none.
  private func check(_ protected: StoreReference, _ batch: MachineBatch) throws {
    let deleted = Set(batch.deleted.map(row))
    let new = Set(batch.inserted.map(\.number))
    let name = protected.property
    func isProtected(_ entity: String) -> Bool { schema.isEntity(entity, kindOf: protected.entity) }
    for (number, row) in rows where isProtected(row.entity.name) && !deleted.contains(number) {
      let isSet = batch.updated.contains {
        self.row(of: $0.number) == number && $0.values[name] != nil
      }
      let target = row.values[name]?.identifiers.first?.integerKey
      if !isSet, target.map(deleted.contains) == true {
        throw Refusal(reason: "row \(number) would lose its \(name)")
      }
    }
    for change in batch.inserted + batch.updated where isProtected(change.entity) {
      guard let target = change.values[name]?.identifiers.first?.integerKey, !new.contains(target)
      else { continue }
      if rows[row(of: target)] == nil || deleted.contains(row(of: target)) {
        throw Refusal(reason: "a row would have no \(name)")
      }
    }
  }

  private mutating func apply(_ change: MachineBatch.Bulk, _ effect: inout Effect) {
    let matching = rows.filter { _, row in
      guard
        change.includesSubentities
          ? schema.isEntity(row.entity.name, kindOf: change.entity)
          : row.entity.name == change.entity
      else { return false }
      guard let least = change.least else { return true }
      return row.values["count"]?.integer ?? .min >= least
    }.map(\.key)
    if change.isDeletion {
      remove(Set(matching))
      effect.bulkDeleted.formUnion(matching)
      return
    }
    for number in matching {
      let count = rows[number]?.values["count"]?.integer ?? 0
      rows[number]?.values["count"] = .integer(count + 1)
      effect.named[number, default: []].insert("count")
    }
    effect.bulkUpdated.formUnion(matching)
  }

  /// Deletes rows and the references to them.
  private mutating func remove(_ gone: Set<Int64>) {
    for number in gone { rows[number] = nil }
    rows = rows.mapValues { row in
      var row = row
      row.values = row.values.mapValues { $0.without(gone) }
      return row
    }
  }

  private mutating func insert(_ new: Row, _ number: Int64, _ effect: inout Effect) throws {
    let equal = holders(of: uniqueKeys(of: new))
    guard let other = equal.first else {
      rows[number] = new
      effect.became[number] = new.identifier
      return
    }
    guard equal.count == 1, let old = rows[other] else {
      throw Refusal(reason: "a record has unique values of two rows")
    }
    guard schema.isEntity(old.entity.name, kindOf: new.entity.name) else {
      throw Refusal(reason: "a row of \(old.entity.name) cannot become a \(new.entity.name)")
    }
    effect.became[number] = old.identifier
    for property in new.entity.properties {
      let name = property.name
      let (before, value) = (old.values[name] ?? .null, new.values[name] ?? .null)
      if property.isToOne, property.isKeptByBothEnds, value != before,
        let counterpart = before.identifiers.first?.integerKey
      {
        effect.counterparts.append(
          Counterpart(row: other, property: property, number: counterpart)
        )
      }
      rows[other]?.values[name] = property.isToMany ? before.joined(value) : value
      effect.named[other, default: []].insert(name)
    }
    try checkUnique(other)
  }

  /// Clears the references of former counterparts to rows that no longer refer to them.
  private mutating func detach(_ counterparts: [Counterpart]) -> Set<Int64> {
    var detached: Set<Int64> = []
    for former in counterparts {
      guard let inverse = former.property.relationship?.inverse, let row = rows[former.row],
        let counterpart = rows[former.number],
        row.values[former.property.name] != .identifier(counterpart.identifier),
        counterpart.values[inverse] == .identifier(row.identifier)
      else { continue }
      rows[former.number]?.values[inverse] = .null
      detached.insert(former.number)
    }
    return detached
  }

  // MARK: Unique values

  private struct UniqueKey: Hashable {
    let constraint: StoreConstraint
    let values: [StoreValue]
  }

  /// Returns the combinations of values that no other row may have.
  private func uniqueKeys(of row: Row) -> Set<UniqueKey> {
    Set(
      schema.constraints(of: row.entity).compactMap { constraint in
        let values = constraint.properties.compactMap { row.values[$0]?.comparedForm }
        guard values.count == constraint.properties.count else { return nil }
        return UniqueKey(constraint: constraint, values: values)
      }
    )
  }

  private func holders(of keys: Set<UniqueKey>) -> [Int64] {
    rows.filter { !uniqueKeys(of: $0.value).isDisjoint(with: keys) }.map(\.key)
  }

  private func checkUnique(_ number: Int64) throws {
    guard let row = rows[number] else { return }
    if holders(of: uniqueKeys(of: row)).contains(where: { $0 != number }) {
      throw Refusal(reason: "row \(number) would have the unique values of another")
    }
  }
}

extension StoreValue {
  fileprivate var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

  /// Returns the value without references to some rows.
  func without(_ gone: Set<Int64>) -> StoreValue {
    mappingReferences { $0.integerKey.map(gone.contains) == true ? nil : $0 }
  }

  /// The form in which unique values are compared, or `nil` for a value that equals no other.
  fileprivate var comparedForm: StoreValue? {
    switch self {
    case .null: nil
    case .string(let text): .string(text.precomposedStringWithCanonicalMapping)
    case .identifier(let one): one.integerKey.map(StoreValue.integer)
    default: self
    }
  }

  /// Returns the related objects of a row and of a record that is merged into it.
  fileprivate func joined(_ other: StoreValue) -> StoreValue {
    switch (self, other) {
    case (.identifiers(let own), .identifiers(let new)):
      StoreValue.identifiers(own + new).withoutRepeats
    case (.null, _): other
    default: self
    }
  }
}
