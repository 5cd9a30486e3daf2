import StoreFiles
import StoreProtocol

/// Merges the rows of two documents with a common ancestor.
///
/// Regardless of conflicts, the result is a consistent store: conflicting rows have our version.
struct ObjectMerge {
  /// A row of a document.
  struct Row {
    /// The index of its entity in the schema.
    let table: Int
    var cells: [Cell]
  }

  let map: TableMap
  let base: [Int64: Row]
  let ours: [Int64: Row]
  private(set) var theirs: [Int64: Row]
  /// The key of the next new row.
  private(set) var nextKey: Int64
  var merged: [Int64: Row] = [:]
  private(set) var conflicts: [DocumentMerge.Conflict] = []
  /// The number of their rows that got another key.
  private(set) var renumbered = 0

  mutating func run() {
    renumber()
    for key in Set(base.keys).union(ours.keys).union(theirs.keys).sorted() { merge(key) }
    restoreBelonging()
    while resolveReferences() || resolveUniqueValues() {}
  }

  /// Returns the state of a document with the merged rows.
  func state(of store: String) -> StoreState {
    var tables = map.schema.entities.map { entity in
      Table(entity: entity, scope: .init(storeIdentifier: store, entityName: entity.name))
    }
    for (key, row) in merged.sorted(by: { $0.key < $1.key }) {
      tables[row.table].append(key: key, cells: row.cells)
    }
    return StoreState(tables.map { StoredTable($0) }, nextKey: nextKey)
  }

  /// Assigns new keys to their new rows if our document uses the keys for other rows.
  private mutating func renumber() {
    let shared = theirs.keys.filter { base[$0] == nil && ours[$0] != nil }
    var others = Set(shared.filter { !isSame(ours[$0], theirs[$0]) })
    var grows = !others.isEmpty
    while grows {
      grows = false
      // Rows with equal values are different if they refer to different rows.
      for key in shared where !others.contains(key) && refers(theirs[key], to: others) {
        others.insert(key)
        grows = true
      }
    }
    var numbers: [Int64: Int64] = [:]
    for key in others.sorted() {
      numbers[key] = nextKey
      nextKey += 1
    }
    renumbered = numbers.count
    guard !numbers.isEmpty else { return }
    var rows: [Int64: Row] = [:]
    for (key, row) in theirs {
      var row = row
      for index in row.cells.indices where map.types[row.table][index].isRelationship {
        switch row.cells[index] {
        case .integer(let target): row.cells[index] = .integer(numbers[target] ?? target)
        case .keys(let list): row.cells[index] = .keys(list.map { numbers[$0] ?? $0 })
        default: continue
        }
      }
      rows[numbers[key] ?? key] = row
    }
    theirs = rows
  }

  private mutating func merge(_ key: Int64) {
    switch (base[key], ours[key], theirs[key]) {
    case (let old?, let mine?, let their?): merged[key] = merge(key, old, mine, their)
    case (let old?, nil, let their?):
      if !isSame(old, their) { note(key, "ours removed the object and theirs changed it") }
    case (let old?, let mine?, nil):
      guard !isSame(old, mine) else { return }
      merged[key] = mine
      note(key, "theirs removed the object and ours changed it")
    case (nil, let mine?, _): merged[key] = mine
    case (nil, nil, let their?): merged[key] = their
    case (_, nil, nil): break
    }
  }

  private mutating func merge(_ key: Int64, _ old: Row, _ mine: Row, _ their: Row) -> Row {
    var row = mine
    for index in mine.cells.indices {
      let (before, here, there) = (old.cells[index], mine.cells[index], their.cells[index])
      if there.isSame(as: here) || there.isSame(as: before) { continue }
      if here.isSame(as: before) {
        row.cells[index] = there
      } else if map.types[mine.table][index] == .references {
        row.cells[index] = .keys(Self.merged(before.list, here.list, there.list))
      } else {
        note(key, "both sides changed the value", [index], of: mine.table, here, before, there)
      }
    }
    return row
  }

  /// Returns our list without the elements that they removed and with the elements that they added.
  private static func merged(_ base: [Int64], _ ours: [Int64], _ theirs: [Int64]) -> [Int64] {
    let removed = Set(base).subtracting(theirs)
    let existing = Set(ours).union(base)
    return ours.filter { !removed.contains($0) } + theirs.filter { !existing.contains($0) }
  }

  /// Restores the dependents of an object that they removed and that is kept: objects that refer to
  /// it, and references to it.
  private mutating func restoreBelonging() {
    var kept = Set(merged.keys.filter { theirs[$0] == nil && base[$0] != nil })
    var restored = kept
    while !restored.isEmpty {
      let found = ours.filter { key, row in merged[key] == nil && belongs(row, to: restored) }
      for (key, row) in found { merged[key] = row }
      restored = Set(found.keys)
      kept.formUnion(restored)
    }
    guard !kept.isEmpty else { return }
    for (key, mine) in ours {
      guard var row = merged[key] else { continue }
      for index in mine.cells.indices where map.types[mine.table][index].isRelationship {
        let present = row.cells[index].list
        let lost = mine.cells[index].list.filter { kept.contains($0) && !present.contains($0) }
        guard !lost.isEmpty else { continue }
        switch row.cells[index] {
        case .keys(let list): row.cells[index] = .keys(list + lost)
        case .null: row.cells[index] = mine.cells[index]
        default: continue
        }
      }
      merged[key] = row
    }
  }

  /// Returns whether a to-one relationship of a row refers to one of the given rows.
  private func belongs(_ row: Row, to owners: Set<Int64>) -> Bool {
    row.cells.indices.contains { index in
      guard map.types[row.table][index] == .reference, case .integer(let owner) = row.cells[index]
      else { return false }
      return owners.contains(owner)
    }
  }
}

extension ObjectMerge {
  /// Returns whether two rows have the same values, ignoring the orders of derived lists.
  func isSame(_ one: Row?, _ other: Row?) -> Bool {
    guard let one, let other, one.table == other.table else { return false }
    let properties = map.schema.entities[one.table].properties
    return properties.indices.allSatisfy {
      properties[$0].isDerivedToMany || one.cells[$0].isSame(as: other.cells[$0])
    }
  }

  private func refers(_ row: Row?, to keys: Set<Int64>) -> Bool {
    guard let row else { return false }
    return row.cells.indices.contains { index in
      map.types[row.table][index].isRelationship
        && row.cells[index].list.contains(where: keys.contains)
    }
  }

  /// Records a conflict about an object, or about some of its values.
  mutating func note(
    _ key: Int64,
    _ reason: String,
    _ indices: [Int] = [],
    of table: Int = 0,
    _ here: Cell? = nil,
    _ before: Cell? = nil,
    _ there: Cell? = nil
  ) {
    let properties = map.schema.entities[table].properties
    let cells = [before, here, there]
    let texts = cells.map { cell in
      indices.first.flatMap { index in cell.map { text($0, table, index) } }
    }
    let conflict = DocumentMerge.Conflict(
      object: name(of: key),
      properties: indices.map { properties[$0].name },
      reason: reason,
      base: texts[0],
      ours: texts[1],
      theirs: texts[2]
    )
    if !conflicts.contains(conflict) { conflicts.append(conflict) }
  }

  /// Returns the name of an object in messages.
  func name(of key: Int64) -> String {
    let table = (ours[key] ?? theirs[key] ?? base[key])?.table
    return "\(table.map { map.schema.entities[$0].name } ?? "?")/\(key)"
  }

  private func text(_ cell: Cell, _ table: Int, _ index: Int) -> String {
    let entity = map.schema.entities[table]
    switch (map.types[table][index], cell) {
    case (.reference, .integer(let key)): return name(of: key)
    case (_, .file(let reference)): return "\(reference.size) bytes in a file"
    case (let type, _):
      let value = type.value(of: cell)
      return value.isNull
        ? "null" : RowText.text(of: value, as: entity.properties[index], in: entity)
    }
  }
}

extension Cell {
  /// The keys of a relationship.
  var list: [Int64] {
    switch self {
    case .keys(let list): list
    case .integer(let key): [key]
    default: []
    }
  }

  /// Returns whether two cells are identical, bit for bit.
  func isSame(as other: Cell) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let one), .integer(let other)): one == other
    case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.keys(let one), .keys(let other)): one == other
    case (.value(let one), .value(let other)): one == other
    case (.file(let one), .file(let other)): one == other
    default: false
    }
  }
}
