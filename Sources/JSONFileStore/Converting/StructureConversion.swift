import RowChanges
import StoreFiles
import StoreHelpers
import StoreProtocol

/// Converts the rows of a store from one schema to another, as records in memory.
struct StructureConversion {
  let storeIdentifier: String
  let file: String
  let valueFiles: ValueFiles
  var progress: StructureProgress = { _, _ in }

  private var conversion: RecordConversion { RecordConversion(file: file, progress: progress) }

  /// Returns the rows under the newest schema; all given rows must be loaded.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the obstacle.
  func converted(
    _ state: StoreState,
    from schema: StoreSchema,
    through changes: [StructureChange]
  ) throws -> StoreState {
    guard let last = changes.last?.schema else { return state }
    let unaffected = Self.unaffected(by: changes, from: schema)
    let records = try conversion.converted(
      records(of: state, from: schema, through: changes, without: unaffected),
      from: schema,
      through: changes
    )
    let byEntity = Dictionary(grouping: records, by: \.persistentIdentifier.entityName)
    var next = state
    next.tables = last.entities.map { entity in
      let before = state.tables.first { unaffected.contains(entity.name) && $0.entity == entity }
      let scope = scope(entity.name)
      return StoredTable(
        before?.table
          ?? table(of: byEntity[entity.name] ?? [], Table(entity: entity, scope: scope))
      )
    }
    next.source = []
    next.uniqueRows = []
    let renaming = HistoryRenaming(from: schema, through: changes.map(\.schema))
    if !renaming.isEmpty { next.history.replace { $0.renamed(by: renaming) } }
    return next
  }

  /// Returns the violations that prevent a change.
  func violations(
    _ state: StoreState,
    from schema: StoreSchema,
    to change: StructureChange
  ) throws -> [SchemaViolation] {
    let records = try records(of: state, from: schema, through: [change])
    let difference = SchemaDifference(from: schema, to: change.schema)
    return try conversion.converted(records, difference, change).1
  }

  /// Returns the entities of hierarchies that no change concerns; their tables are kept.
  private static func unaffected(
    by changes: [StructureChange],
    from schema: StoreSchema
  ) -> Set<String> {
    var schema = schema
    var names = Set(schema.entities.map(\.name))
    for change in changes {
      let difference = SchemaDifference(from: schema, to: change.schema)
      if RecordConverter(difference, change).needsAllRecords { return [] }
      // References change with the hierarchy that they refer to.
      let changed = Set(difference.steps.map(\.entity))
      names = names.filter { name in
        guard let root = schema.entity(named: name)?.root else { return false }
        let family = schema.family(of: root)
        return family == change.schema.family(of: root)
          && !family.contains { changed.contains($0.name) }
      }
      schema = change.schema
    }
    return names
  }

  private func scope(_ entity: String) -> PersistentIdentifier.Scope {
    PersistentIdentifier.Scope(storeIdentifier: storeIdentifier, entityName: entity)
  }

  private func records(
    of state: StoreState,
    from schema: StoreSchema,
    through changes: [StructureChange],
    without unaffected: Set<String> = []
  ) throws -> [DefaultSnapshot] {
    var records: [DefaultSnapshot] = []
    let schemas = changes.map(\.schema)
    let differences = zip([schema] + schemas, schemas).map { SchemaDifference(from: $0, to: $1) }
    for table in state.tables.compactMap(\.table)
    where table.count > 0 && !unaffected.contains(table.entity.name) {
      let entity = table.entity
      let scopes = entity.properties.map { scope($0.relationship?.destination ?? "") }
      let read = Self.readFiles(of: entity, through: differences)
      for slot in 0..<table.slotCount where table.isAlive(slot) {
        var record = DefaultSnapshot(
          persistentIdentifier: table.identifier(slot),
          entity: entity,
          values: try scopes.indices.map { index in
            try value(table, index, slot, scopes[index], readsFile: read.contains(index))
          }
        )
        record.version = table.rowVersion(slot)
        records.append(record)
      }
    }
    return records
  }

  /// Returns the properties whose data cannot stay in files, because it is unique or indexed under
  /// one of the schemas.
  private static func readFiles(
    of entity: StoreEntity,
    through differences: [SchemaDifference]
  ) -> Set<Int> {
    var positions = Dictionary(uniqueKeysWithValues: entity.properties.indices.map { ($0, $0) })
    var read: Set<Int> = []
    for difference in differences {
      guard let mapping = RowMapping(of: entity.name, difference) else { break }
      positions = positions.compactMapValues { mapping.sources.firstIndex(of: .same($0)) }
      for (first, index) in positions
      where CellType(mapping.new.properties[index], in: mapping.new) == .data {
        read.insert(first)
      }
    }
    return read
  }

  private func value(
    _ table: Table,
    _ index: Int,
    _ slot: Int,
    _ scope: PersistentIdentifier.Scope,
    readsFile: Bool
  ) throws -> StoreValue {
    let column = table.columns[index]
    switch column.cell(slot) {
    case .integer(let key) where column.type == .reference:
      return .identifier(PersistentIdentifier(scope: scope, key: .integer(key)))
    case .keys(let keys):
      return .identifiers(keys.map { PersistentIdentifier(scope: scope, key: .integer($0)) })
    case .file(let reference):
      guard readsFile else { return StoreValue(reference) }
      do throws(ValueFileError) {
        return .data(try valueFiles.data(of: reference))
      } catch {
        let entity = table.entity
        throw error.translated(entity: entity.name, property: entity.properties[index].name)
      }
    case let cell: return column.type.value(of: cell)
    }
  }

  /// Returns a table with records.
  private func table(of records: [DefaultSnapshot], _ empty: Table) -> Table {
    var table = empty
    let types = table.columns.map(\.type)
    for record in records {
      guard let key = record.persistentIdentifier.integerKey else { continue }
      table.append(key: key, cells: zip(types, record.values).map { $0.storedCell(of: $1) })
      table.stamp(table.slotCount - 1, save: record.version)
    }
    return table
  }
}

extension CellType {
  /// Returns the cell of a value that fits the type, or null.
  fileprivate func storedCell(of value: StoreValue) -> Cell {
    switch (self, value) {
    case (.reference, .identifier(let one)): one.integerKey.map(Cell.integer) ?? .null
    case (.references, .identifiers(let list)): .keys(list.compactMap(\.integerKey))
    case (.external, .composite): value.fileReference.map(Cell.file) ?? .null
    default: cell(of: value) ?? .null
    }
  }
}

/// Data in a file as a value, which no data in memory equals.
extension StoreValue {
  fileprivate init(_ reference: FileReference) {
    self = .composite([Member("$file", .string(reference.text))])
  }

  fileprivate var fileReference: FileReference? {
    guard case .composite(let members) = self, case .string(let text)? = members.first?.value
    else { return nil }
    return FileReference(text)
  }
}
