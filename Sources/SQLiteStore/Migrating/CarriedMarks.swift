import SQLTranslation
import StoreProtocol

/// The marks of columns whose values have moved to columns of other names, or come from declarations.
struct CarriedMarks {
  let plan: StructurePlan

  /// Writes the marks of the newer columns in place of those of the older ones.
  func carry(on connection: Connection) throws {
    var (removed, added): ([String], [String]) = ([], [])
    for (old, columns) in try columnKeys() {
      for mark in [\ColumnKeys.inexact, \.files]
      where try InexactColumns.isMarked(old[keyPath: mark], on: connection) {
        removed.append(old[keyPath: mark])
        added += columns.map { $0[keyPath: mark] }
      }
    }
    for key in removed { try Metadata.remove(key, on: connection) }
    // A column may have taken the name of another one.
    for key in added + (try inexactDefaults()) { try InexactColumns.mark(key, on: connection) }
  }

  /// Returns the keys of the columns that get a default value which SQL compares otherwise.
  private func inexactDefaults() throws -> [String] {
    try plan.mappings.values.flatMap { mapping in
      let entity = try plan.new.entity(named: mapping.new.name)
      return try mapping.new.properties.enumerated().compactMap { index, property -> String? in
        let value = mapping.fallback(at: index)
        guard !value.isNull, let type = property.attributeType, type.hasInexactValues,
          let column = entity.column(of: property.name)
        else { return nil }
        let mayDiffer = mapping.initialValue(at: index) != nil
        guard try mayDiffer || !SQLValue(value, as: type).isExact else { return nil }
        return column.inexactMark(in: entity.table.name)
      }
    }
  }

  private struct ColumnKeys: Hashable {
    let inexact: String
    let files: String

    init(_ column: ColumnMap, in table: TableMap) {
      inexact = column.inexactMark(in: table.name)
      files = column.fileMark(in: table.name)
    }
  }

  /// Returns the new columns of the values of each old column; none for removed values.
  private func columnKeys() throws -> [(old: ColumnKeys, new: [ColumnKeys])] {
    var found: [ColumnKeys: Set<ColumnKeys>] = [:]
    for table in plan.old.tables {
      for column in table.columns { found[ColumnKeys(column, in: table)] = [] }
    }
    for mapping in plan.mappings.values {
      let before = try plan.old.entity(named: mapping.old.name)
      let after = try plan.new.entity(named: mapping.new.name)
      for (index, property) in mapping.new.properties.enumerated() {
        guard case .same(let position) = mapping.sources[index],
          let source = before.column(of: mapping.old.properties[position].name),
          let target = after.column(of: property.name)
        else { continue }
        found[ColumnKeys(source, in: before.table), default: []].insert(
          ColumnKeys(target, in: after.table)
        )
      }
    }
    return found.filter { $0.value != [$0.key] }.map { ($0.key, Array($0.value)) }
  }
}
