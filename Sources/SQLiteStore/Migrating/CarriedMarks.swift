import SQLTranslation
import StoreProtocol

/// Carries over the marks of columns whose values have moved to columns of other names.
struct CarriedMarks {
  let plan: StructurePlan

  /// Writes the marks of the newer columns in place of those of the older ones.
  func carry(on connection: Connection) throws {
    let columns = try columnKeys()
    for (old, marks) in columns {
      for key in [old.inexact, old.files] where try InexactColumns.isMarked(key, on: connection) {
        try Metadata.remove(key, on: connection)
        for new in marks {
          try InexactColumns.mark(key == old.files ? new.files : new.inexact, on: connection)
        }
      }
    }
  }

  private struct ColumnKeys: Hashable {
    let inexact: String
    let files: String

    init(_ column: ColumnMap, in table: TableMap) {
      inexact = InexactColumns.key(of: column, in: table)
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
