import StoreProtocol

/// Creates random steps that suit the contents of a store.
struct MachineGenerator {
  static let authors: [String?] = [nil, "", "ada", "e\u{301}", "\u{E9}"]

  private static let readers = ["index", "outbox", "caf\u{E9}", "cafe\u{301}"]
  private static let entities = [
    "Item", "Item", "Tool", "Tool", "Drill", "Drill", "Box", "Box", "Cover", "Cover", "Slot", "Tag",
  ]
  /// The relationships that both ends store, which the layer above keeps consistent.
  private static let pairs = [
    ("Item", "cover", "Cover", "item"), ("Item", "cover", "Cover", "item"),
    ("Item", "tags", "Tag", "items"), ("Item", "friends", "Item", "friends"),
  ]

  private var source: RandomSource
  private let reopens: Bool
  private var lastNumber: Int64 = 0
  /// The entities of all records.
  private var entityNames: [Int64: String] = [:]
  /// A batch for which the store had to throw, to be saved without the reason.
  private var refused: MachineBatch?

  init(seed: UInt64, reopens: Bool) {
    source = RandomSource(seed: seed)
    self.reopens = reopens
  }

  /// Returns the next step.
  mutating func step(_ model: ContractModel) -> MachineCase.Step {
    // At once: the numbers of rows increase in the order of insertion.
    let again = refused
    refused = nil
    if var again, source.oneIn(2) {
      (again.isSpoiled, again.requiresNew, again.protects) = (false, false, false)
      again.expecting = [:]
      return .save(again)
    }
    let saves = model.history.saves.count
    switch source.below(24) {
    case 0...2 where reopens: return .reopen
    case 3...6: return .ask(source.next() % 1_000_000)
    case 7...9 where saves > 0:
      return .forget(source.oneIn(8) ? [] : (0...source.below(2)).map { _ in source.below(saves) })
    case 10...11 where saves > 0:
      return .reader(source.pick(Self.readers), source.oneIn(5) ? nil : source.below(saves))
    case 12 where source.oneIn(4): return .erase
    case 13...14: return .meanwhile(batch(model))
    default: return .save(batch(model))
    }
  }

  private mutating func batch(_ model: ContractModel) -> MachineBatch {
    if source.oneIn(16) {
      let nextKey = source.oneIn(3) ? nil : Int64(source.below(8)) - 3
      return MachineBatch(nextKey: nextKey, readers: readers(model))
    }
    var draft = MachineDraft(model)
    let live = model.rows.keys.sorted()
    if source.oneIn(3) { draft.batch.deleted = source.some(of: live, atMost: 2) }
    if source.oneIn(5), lastNumber > 0 {
      draft.batch.deleted.append(Int64(source.below(Int(lastNumber))) + 1)
    }
    let deleted = Set(draft.batch.deleted)
    let left = live.filter { !deleted.contains($0) }
    // Merges, groups and orders need rows with equal values, which few rows seldom have.
    let count = source.below(4) + (live.isEmpty ? 12 : 0)
    for _ in 0..<count { insert(source.pick(Self.entities), &draft) }
    for number in source.some(of: left, atMost: 3) { fill(number, &draft, isNew: false) }
    for _ in 0..<source.below(3) {
      pair(&draft, draft.rows(of: "Item"), source.pick(Self.pairs))
    }
    for number in draft.batch.inserted.map(\.number) where source.oneIn(4) {
      let rows = draft.rows(of: draft.entity(of: number)?.name ?? "")
      repeatRow(rows.filter { $0 != number }, in: number, &draft)
    }
    if source.oneIn(3) { importAgain(&draft, left) }
    if source.oneIn(2) { exchange(&draft, left) }
    if source.oneIn(2) { applyDeleteRules(&draft, left) }
    if source.oneIn(5) { addEarlierUpdate(&draft) }
    addOptions(&draft.batch)
    draft.batch.readers = readers(model)
    let isRefused =
      draft.batch.isSpoiled || draft.batch.requiresNew || draft.batch.protects
      || draft.batch.expecting.values.contains(false)
    refused = isRefused ? draft.batch : nil
    return draft.batch
  }

  private mutating func insert(_ entity: String, _ draft: inout MachineDraft) {
    lastNumber += 1
    entityNames[lastNumber] = entity
    draft.batch.inserted.append(DifferentialRow(lastNumber, entity))
    fill(lastNumber, &draft, isNew: true)
  }

  /// Sets some values of a row.
  private mutating func fill(_ number: Int64, _ draft: inout MachineDraft, isNew: Bool) {
    guard let entity = draft.entity(of: number) else { return }
    for property in entity.properties where !property.isKeptByBothEnds {
      guard source.oneIn(isNew ? 2 : 5) else { continue }
      if let value = value(of: property, of: number, draft, isNew: isNew) {
        draft.set(property.name, of: number, to: value)
      }
    }
  }

  /// Returns a value, or `nil` to leave it as it is.
  private mutating func value(
    of property: StoreProperty,
    of number: Int64,
    _ draft: MachineDraft,
    isNew: Bool
  ) -> StoreValue? {
    guard let relationship = property.relationship else {
      let old = draft.model.rows[number]?.values[property.name] ?? .null
      if source.oneIn(2), let equal = MachineValues.equivalent(of: old) { return equal }
      return MachineValues.value(of: property, &source)
    }
    if property.isDerivedToMany, !isNew {
      // Another order of the same rows; a batch that deletes rows may change the order by that.
      let members = draft.model.members(property, of: number)
      guard members.count > 1, draft.batch.deleted.isEmpty else { return nil }
      return .identifiers(members.shuffled(using: &source))
    }
    var fitting = draft.rows(of: relationship.destination)
    // Rows that the batch deletes, or that were deleted before.
    let gone = entityNames.filter { number, name in
      (draft.batch.deleted.contains(number) || draft.entity(of: number) == nil)
        && draft.model.schema.isEntity(name, kindOf: relationship.destination)
    }.keys.sorted()
    if !gone.isEmpty, source.oneIn(6) { fitting = property.isToMany ? fitting + gone : gone }
    if property.isToMany {
      return .identifiers(source.some(of: fitting, atMost: 4).map { named($0, draft) })
    }
    guard let target = fitting.randomElement(using: &source), !source.oneIn(5) else {
      return property.isOptional ? .null : nil
    }
    return .identifier(named(target, draft))
  }

  /// Returns a reference to a row, which sometimes names a superentity.
  private mutating func named(_ number: Int64, _ draft: MachineDraft) -> PersistentIdentifier {
    let name = entityNames[number] ?? ""
    let isNew = draft.batch.inserted.contains { $0.number == number }
    let root = draft.model.schema.entity(named: name)?.root ?? name
    return DifferentialRow.identifier(number, source.oneIn(4) && !isNew ? root : name)
  }

  /// Relates two rows at both ends, or ends their relation.
  private mutating func pair(
    _ draft: inout MachineDraft,
    _ owners: [Int64],
    _ pair: (String, String, String, String)
  ) {
    let (entity, near, other, far) = pair
    let deleted = Set(draft.batch.deleted)
    let owners = owners.filter { !deleted.contains($0) && draft.isRow($0, of: entity) }
    let others = draft.rows(of: other).filter { !deleted.contains($0) }
    guard let row = owners.randomElement(using: &source),
      let target = others.randomElement(using: &source), row != target
    else { return }
    if near == "cover" {
      draft.pair(row, near, target, far)
    } else if source.oneIn(3) {
      draft.unlink(row, near, target, far)
    } else {
      draft.link(row, near, target, far)
    }
  }

  /// Inserts records again that rows exist for, or other records of the batch, as an import does that is
  /// repeated.
  ///
  /// Often the rows have one-to-one counterparts, which they then lose, or get them in the same batch.
  private mutating func importAgain(_ draft: inout MachineDraft, _ left: [Int64]) {
    let new = draft.batch.inserted.map(\.number)
    let rows = (source.oneIn(3) ? new : left).filter { draft.hasUniqueValues($0) }
    let items = rows.filter { draft.isRow($0, of: "Item") }
    let repeated = source.some(of: source.oneIn(2) ? items : rows, atMost: 3)
    if source.oneIn(2) { insert("Cover", &draft) }
    for row in repeated {
      if source.oneIn(2) { pair(&draft, [row], Self.pairs[0]) }
      insert(draft.entity(of: row)?.name ?? "", &draft)
      repeatRow([row], in: lastNumber, &draft)
    }
  }

  /// Gives a new record the unique values of a row, or each constraint those of another.
  private mutating func repeatRow(
    _ rows: [Int64],
    in number: Int64,
    _ draft: inout MachineDraft
  ) {
    let rows = rows.filter { draft.hasUniqueValues($0) }
    guard let entity = draft.entity(of: number), let row = rows.randomElement(using: &source)
    else { return }
    let isMixed = source.oneIn(3)
    for constraint in draft.model.schema.constraints(of: entity) {
      let other = isMixed ? source.pick(rows) : row
      for name in constraint.properties {
        draft.set(name, of: number, to: draft.value(name, of: other))
      }
    }
  }

  /// Lets two rows of an entity exchange all of their unique values.
  private mutating func exchange(_ draft: inout MachineDraft, _ left: [Int64]) {
    let least = source.oneIn(2) ? 2 : 1
    let rows = left.filter { draft.hasUniqueValues($0, together: least) }
    guard let row = rows.randomElement(using: &source), let entity = draft.entity(of: row),
      let other = rows.filter({ $0 != row && draft.entity(of: $0) === entity })
        .randomElement(using: &source)
    else { return }
    let constraints = draft.model.schema.constraints(of: entity)
    for name in Set(constraints.flatMap(\.properties)).sorted() {
      draft.set(name, of: row, to: draft.model.rows[other]?.values[name] ?? .null)
      draft.set(name, of: other, to: draft.model.rows[row]?.values[name] ?? .null)
    }
  }

  /// Divides an update into two, of which the later one replaces a value of the earlier one.
  private mutating func addEarlierUpdate(_ draft: inout MachineDraft) {
    guard let index = draft.batch.updated.indices.randomElement(using: &source),
      let entity = draft.entity(of: draft.batch.updated[index].number)
    else { return }
    let update = draft.batch.updated[index]
    let changed = entity.properties.filter { update.values[$0.name] != nil }
      .shuffled(using: &source)
    guard let last = changed.last else { return }
    var earlier = DifferentialRow(update.number, update.entity)
    for property in changed.dropLast() where source.oneIn(2) {
      earlier.values[property.name] = update.values[property.name]
      draft.batch.updated[index].values[property.name] = nil
    }
    if last.attributeType != nil {
      earlier.values[last.name] = MachineValues.value(of: last, &source)
    }
    if !earlier.values.isEmpty { draft.batch.updated.insert(earlier, at: 0) }
  }

  /// Adds what the layer above adds for delete rules: references that it clears itself.
  private mutating func applyDeleteRules(_ draft: inout MachineDraft, _ left: [Int64]) {
    let deleted = Set(draft.batch.deleted.filter { draft.model.rows[$0] != nil })
    draft.batch.cascaded = Set(source.some(of: deleted.sorted(), atMost: 1))
    for number in left {
      for name in ["box", "tool"] {
        guard
          let target = draft.model.rows[number]?.values[name]?.identifiers.first?.integerKey,
          deleted.contains(target), source.oneIn(2)
        else { continue }
        draft.set(name, of: number, to: .null)
        draft.batch.cleared[number, default: []].append(name)
      }
    }
  }

  /// Returns a reader of the history that moves with a save, or none.
  private mutating func readers(_ model: ContractModel) -> [String: Int] {
    let saves = model.history.saves.count
    return saves > 0 && source.oneIn(5) ? [source.pick(Self.readers): source.below(saves)] : [:]
  }

  private mutating func addOptions(_ batch: inout MachineBatch) {
    batch.author = source.pick(Self.authors)
    batch.time = source.below(6)
    if source.oneIn(4) {
      batch.bulk = (0...source.below(2)).map { _ in bulkChange() }
      // Whether a value that two changes set and set back has changed is left to the store.
      for index in batch.updated.indices { batch.updated[index].values["count"] = nil }
    }
    if source.oneIn(8) {
      for row in batch.inserted where source.oneIn(2) {
        batch.keys[row.number] = source.oneIn(8) ? -1 : Int64(source.below(3))
      }
    }
    if source.oneIn(10) { batch.nextKey = Int64(source.below(8)) - 3 }
    if source.oneIn(3) {
      for number in batch.updated.map(\.number) + batch.deleted where source.oneIn(2) {
        batch.expecting[number] = !source.oneIn(5)
      }
    }
    batch.requiresNew = source.oneIn(12)
    batch.isSpoiled = source.oneIn(12)
    batch.protects = source.oneIn(batch.cleared.isEmpty ? 8 : 2)
    batch.isProduced = source.oneIn(3)
  }

  private mutating func bulkChange() -> MachineBatch.Bulk {
    let isDeletion = source.oneIn(3)
    let entities = ["Item", "Item", "Tool", "Drill"]
    return MachineBatch.Bulk(
      source.pick(entities),
      includesSubentities: !source.oneIn(3),
      least: Int64(isDeletion ? 3 + source.below(3) : source.below(5)),
      isDeletion: isDeletion
    )
  }
}

/// A batch in the making, with the values that its rows will have.
struct MachineDraft {
  let model: ContractModel
  var batch = MachineBatch()

  init(_ model: ContractModel) { self.model = model }

  func entity(of number: Int64) -> StoreEntity? {
    let new = batch.inserted.first { $0.number == number }?.entity
    return new.flatMap(model.schema.entity(named:)) ?? model.rows[number]?.entity
  }

  /// Returns the stored and new rows of an entity and its subentities.
  func rows(of entity: String) -> [Int64] {
    model.numbers(of: entity)
      + batch.inserted.filter { model.schema.isEntity($0.entity, kindOf: entity) }.map(\.number)
  }

  mutating func set(_ name: String, of number: Int64, to value: StoreValue) {
    if let index = batch.inserted.firstIndex(where: { $0.number == number }) {
      batch.inserted[index].values[name] = value
    } else if let index = batch.updated.firstIndex(where: { $0.number == number }) {
      batch.updated[index].values[name] = value
    } else if let entity = model.rows[number]?.entity {
      batch.updated.append(DifferentialRow(number, entity.name, [name: value]))
    }
  }

  /// Returns whether a row is of an entity or of one of its subentities.
  func isRow(_ number: Int64, of name: String) -> Bool {
    entity(of: number).map { model.schema.isEntity($0.name, kindOf: name) } ?? false
  }

  /// Returns the value that a row will have.
  func value(_ name: String, of number: Int64) -> StoreValue {
    let row = (batch.inserted + batch.updated).first { $0.number == number }
    return row?.values[name] ?? model.rows[number]?.values[name] ?? .null
  }

  /// Returns whether a row will have all values of a constraint with some properties.
  func hasUniqueValues(_ number: Int64, together count: Int = 1) -> Bool {
    guard let entity = entity(of: number) else { return false }
    return model.schema.constraints(of: entity).contains { constraint in
      constraint.properties.count >= count
        && constraint.properties.allSatisfy { !value($0, of: number).isNull }
    }
  }

  private func related(_ name: String, of number: Int64) -> [PersistentIdentifier] {
    value(name, of: number).identifiers
  }

  private func identifier(_ number: Int64) -> PersistentIdentifier {
    DifferentialRow.identifier(number, entity(of: number)?.name ?? "")
  }

  /// Makes two rows each other's only counterpart.
  mutating func pair(_ row: Int64, _ near: String, _ target: Int64, _ far: String) {
    for (one, name, other) in [(row, near, far), (target, far, near)] {
      for former in related(name, of: one).compactMap(\.integerKey)
      where !batch.deleted.contains(former) {
        set(other, of: former, to: .null)
      }
    }
    set(near, of: row, to: .identifier(identifier(target)))
    set(far, of: target, to: .identifier(identifier(row)))
  }

  mutating func link(_ row: Int64, _ near: String, _ target: Int64, _ far: String) {
    for (one, name, other) in [(row, near, target), (target, far, row)] {
      let list = related(name, of: one).filter { $0.integerKey != other }
      set(name, of: one, to: .identifiers(list + [identifier(other)]))
    }
  }

  mutating func unlink(_ row: Int64, _ near: String, _ target: Int64, _ far: String) {
    for (one, name, other) in [(row, near, target), (target, far, row)] {
      let list = related(name, of: one)
      guard list.contains(where: { $0.integerKey == other }) else { continue }
      set(name, of: one, to: .identifiers(list.filter { $0.integerKey != other }))
    }
  }
}
