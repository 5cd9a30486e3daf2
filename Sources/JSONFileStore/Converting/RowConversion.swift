import StoreFiles
import StoreHelpers
import StoreProtocol

/// Converts the rows of one entity to another schema.
struct RowConversion {
  private let mapping: RowMapping
  private let source: Table
  private let conversion: StructureConversion
  private let oldTypes: [CellType]
  private let newTypes: [CellType]
  private let fallbacks: [Cell]
  /// For each newer property, whether a row without a value must be rejected.
  private let isRequired: [Bool]
  /// The keys of rows that are removed with their entities.
  private let removed: Set<Int64>
  private let members: [Int: [Int64: [Int64]]]
  private let owners: [Int: OwnerLists]
  private(set) var problems: RowProblems

  init(
    _ mapping: RowMapping,
    _ source: Table,
    _ state: StoreState,
    _ map: TableMap,
    _ difference: SchemaDifference,
    _ conversion: StructureConversion
  ) {
    self.mapping = mapping
    self.source = source
    self.conversion = conversion
    oldTypes = mapping.old.properties.map { CellType($0, in: mapping.old) }
    newTypes = mapping.new.properties.map { CellType($0, in: mapping.new) }
    fallbacks = mapping.new.properties.indices.map { [newTypes] index in
      newTypes[index].cell(of: mapping.fallback(at: index)) ?? .null
    }
    let removed = Self.keys(of: difference.removedEntities, state, map)
    self.removed = removed
    problems = RowProblems(of: mapping.new)
    isRequired = mapping.new.properties.indices.map {
      mapping.mustHaveValue(at: $0, removingRows: !removed.isEmpty)
    }
    members = Self.members(mapping, source, state, map)
    var owners: [Int: OwnerLists] = [:]
    for case (let index, .owners(let list)) in mapping.sources.enumerated() {
      owners[index] = OwnerLists(list, state, map)
    }
    self.owners = owners
  }

  private static func keys(
    of entities: [String],
    _ state: StoreState,
    _ map: TableMap
  ) -> Set<Int64> {
    var keys: Set<Int64> = []
    for name in entities {
      guard let index = try? map.table(of: name), let table = state.tables[index].table else {
        continue
      }
      for slot in 0..<table.slotCount where table.isAlive(slot) { keys.insert(table.keys[slot]) }
    }
    return keys
  }

  mutating func convert(
    into table: inout Table,
    every count: Int,
    progress: (Int) throws -> Void
  ) throws {
    table.reserve(source.count)
    var done = 0
    for slot in 0..<source.slotCount where source.isAlive(slot) {
      let cells = try mapping.new.properties.indices.map { try cell(at: $0, slot) }
      table.append(key: source.keys[slot], cells: cells)
      table.stamp(table.slotCount - 1, save: source.rowVersion(slot))
      done += 1
      if done % count == 0 { try progress(done) }
    }
    try progress(done)
  }

  private mutating func cell(at index: Int, _ slot: Int) throws -> Cell {
    var cell = Cell.null
    switch mapping.sources[index] {
    case .missing: break
    case .same(let position): cell = try same(source.columns[position].cell(slot), position, index)
    case .converted(let position, let type):
      let value = oldTypes[position].value(of: source.columns[position].cell(slot))
      guard let fitting = value.converted(to: type).flatMap(newTypes[index].cell(of:)) else {
        problems.note(.unfit, at: index, source.identifier(slot))
        return .null
      }
      cell = fitting
    case .oneToMany(let position):
      cell = .keys([])
      if case .integer(let key) = source.columns[position].cell(slot) { cell = .keys([key]) }
    case .ordered(let position): cell = source.columns[position].cell(slot)
    case .owners: cell = owner(at: index, slot)
    case .listed: cell = .keys(members[index]?[source.keys[slot]] ?? [])
    }
    if case .null = cell { cell = fallbacks[index] }
    if isRequired[index], isAbsent(cell, index) {
      problems.note(.absent, at: index, source.identifier(slot))
    }
    return cell
  }

  private func isAbsent(_ cell: Cell, _ index: Int) -> Bool {
    switch cell {
    case .null: true
    case .integer(let key): newTypes[index] == .reference && removed.contains(key)
    default: false
    }
  }

  private func same(_ cell: Cell, _ position: Int, _ index: Int) throws -> Cell {
    let (old, new) = (oldTypes[position], newTypes[index])
    if old == new { return cell }
    if case .file(let reference) = cell {
      do throws(ValueFileError) {
        return .value(.data(try conversion.valueFiles.data(of: reference)))
      } catch {
        throw error.translated(
          entity: mapping.new.name,
          property: mapping.new.properties[index].name
        )
      }
    }
    return new.cell(of: old.value(of: cell)) ?? .null
  }

  private mutating func owner(at index: Int, _ slot: Int) -> Cell {
    let keys = owners[index]?.keys(of: source.keys[slot]) ?? []
    guard mapping.new.properties[index].isToOne else { return .keys(keys) }
    if keys.count > 1 {
      problems.note(
        .shared,
        at: index,
        source.identifier(slot),
        owners: owners[index]?.identifiers(of: source.keys[slot]) ?? []
      )
    }
    return keys.first.map(Cell.integer) ?? .null
  }
}

extension RowConversion {
  /// Returns the related objects of relationships that were determined by the destination's
  /// references, for each newer property, in each owner's order.
  private static func members(
    _ mapping: RowMapping,
    _ source: Table,
    _ state: StoreState,
    _ map: TableMap
  ) -> [Int: [Int64: [Int64]]] {
    var found: [Int: [Int64: [Int64]]] = [:]
    for (index, origin) in mapping.sources.enumerated() {
      guard case .listed(let position) = origin,
        let relationship = mapping.old.properties[position].relationship,
        let inverse = relationship.inverse
      else { continue }
      var owned: [Int64: [Int64]] = [:]
      for table in (try? map.family(of: relationship.destination)) ?? [] {
        guard let rows = state.tables[table].table,
          let column = rows.entity.indexByName[inverse]
        else { continue }
        for slot in 0..<rows.slotCount where rows.isAlive(slot) {
          guard case .integer(let owner) = rows.columns[column].cell(slot) else { continue }
          owned[owner, default: []].append(rows.keys[slot])
        }
      }
      for slot in 0..<source.slotCount where source.isAlive(slot) {
        let key = source.keys[slot]
        guard let keys = owned[key] else { continue }
        var listed: [Int64] = []
        if case .keys(let list) = source.columns[position].cell(slot) { listed = list }
        owned[key] = ordered(keys, by: listed)
      }
      found[index] = owned
    }
    return found
  }

  private static func ordered(_ keys: [Int64], by list: [Int64]) -> [Int64] {
    let present = Set(keys)
    var seen: Set<Int64> = []
    let first = list.filter { present.contains($0) && seen.insert($0).inserted }
    return first + keys.filter { !seen.contains($0) }.sorted()
  }
}
