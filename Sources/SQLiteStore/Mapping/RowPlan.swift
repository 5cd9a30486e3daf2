import SQLTranslation
import StoreProtocol

/// The indexes of one entity's properties in the rows of a query.
final class RowLayout: Sendable {
  let entity: StoreEntity
  let scope: PersistentIdentifier.Scope

  /// The index of each property in the row, or -1 if it has none.
  let positions: [Int]

  /// The content of each property's column, or `nil` if it has none.
  let contents: [ColumnMap.Content?]

  init(_ map: EntityMap, scope: PersistentIdentifier.Scope, position: (Int) -> Int) {
    entity = map.entity
    self.scope = scope
    positions = map.storage.map {
      if case .column(let column) = $0 { position(column) } else { -1 }
    }
    contents = map.entity.properties.map { map.column(of: $0.name)?.content }
  }
}

/// A plan for reading an entity's rows: the columns, and the layout of each entity's rows.
///
/// Created once per entity, when the store is opened.
final class RowPlan: Sendable {
  let map: EntityMap
  private let family: [EntityMap]
  private let scopes: [String: PersistentIdentifier.Scope]

  /// The list of columns: the key, the version, and the columns of the entity and its subentities.
  ///
  /// If the table holds several entities, the row's entity follows the key.
  let columns: String

  /// The number of columns in the list.
  let columnCount: Int

  /// The statement that reads all rows of the table.
  let selection: String

  /// The index of the version in the list.
  let versionPosition: Int32

  /// The layout of the root entity or of the only one.
  let base: RowLayout

  /// The layouts by the names in the entity column.
  let layouts: [String: RowLayout]

  /// The condition for the rows of the entity and its subentities, and that for its own rows alone.
  let familyCondition: String?
  let ownCondition: String?

  /// The statements that read the rows of a list of keys, and of one key.
  let selectionByKeys: String
  let selectionByKey: String

  init(
    _ map: EntityMap,
    family: [EntityMap],
    scopes: [String: PersistentIdentifier.Scope],
    wanted: Set<String>? = nil
  ) {
    self.map = map
    self.family = family
    self.scopes = scopes
    let table = map.table
    var columns: [Int] = []
    for member in family {
      for (storage, property) in zip(member.storage, member.entity.properties) {
        guard case .column(let column) = storage, !columns.contains(column),
          property.isToOne || wanted?.contains(property.name) ?? true
        else { continue }
        columns.append(column)
      }
    }
    let fixed = [table.key] + (table.entityColumn.map { [$0] } ?? []) + [table.versionValue]
    versionPosition = Int32(fixed.count - 1)
    let list = (fixed + columns.map { table.columns[$0].sql }).joined(separator: ", ")
    self.columns = list
    columnCount = fixed.count + columns.count
    selection = "SELECT \(list) FROM \(table.sql)"
    let position = { (column: Int) in
      columns.firstIndex(of: column).map { $0 + fixed.count } ?? -1
    }
    let layout = { (member: EntityMap) in
      let name = member.entity.name
      let scope =
        scopes[name] ?? PersistentIdentifier.Scope(storeIdentifier: nil, entityName: name)
      return RowLayout(member, scope: scope, position: position)
    }
    layouts = Dictionary(firstOf: family.map { ($0.entity.name, layout($0)) })
    base = layouts[map.entity.name] ?? layout(map)
    familyCondition = map.entityCondition
    ownCondition = table.isExactly(map.entity.name)
    let condition = familyCondition.map { " AND \($0)" } ?? ""
    selectionByKey = "\(selection) WHERE \(table.key) = ?\(condition)"
    selectionByKeys =
      "\(selection) WHERE \(table.key) IN (SELECT value FROM json_each(?))\(condition)"
      + " ORDER BY \(table.key)"
  }

  /// Returns a plan that reads only the named properties and the keys of to-one relationships.
  func reading(_ names: [String]) -> RowPlan {
    RowPlan(map, family: family, scopes: scopes, wanted: Set(names))
  }
}
