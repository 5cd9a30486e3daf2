import CoreDataFiles

extension SourceLayout {
  /// Returns the number of entities and columns of a store that a model does not describe.
  ///
  /// It is the largest integer if the store lacks an entity or a column of the model.
  static func deviation(of model: ManagedModel, from tables: SourceTables) -> Int {
    var tables = tables
    tables.rename(by: model)
    guard let layout = try? SourceLayout(model, tables, path: "", requiresAll: true) else {
      return .max
    }
    return Set(layout.entities.values.map(\.table))
      .reduce(tables.entities.count - layout.entities.count) { sum, table in
        let used = layout.columns(of: table)
        return sum + (tables.columns[table] ?? []).count { !used.contains($0) }
      }
  }

  /// The columns of a table that the model describes, with those of Core Data itself.
  func columns(of table: String) -> Set<String> {
    var result: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
    for entity in entities.values {
      if entity.table == table {
        for columns in entity.attributes.values { result.formUnion(columns.names) }
      }
      for columns in entity.relationships.values {
        switch columns {
        case .key(let column) where entity.table == table:
          result.insert(column)
          result.insert("Z_FOK_\(column.dropFirst())")
          // The entity of the target, by the number of its root.
          for number in Set(entities.values.map(\.number)) {
            result.insert("Z\(number)_\(column.dropFirst())")
          }
        case .backward(table, let owner, let order):
          result.formUnion([owner, order ?? owner])
        default: continue
        }
      }
    }
    return result
  }
}
