import SQLTranslation
import StoreHelpers
import StoreProtocol
import Synchronization

/// The statements and columns for writing rows of one entity; created once, when the store is
/// opened.
final class WritePlan: Sendable {
  let map: EntityMap

  /// The name in the entity column, or `nil` if the table has one entity.
  let entityName: String?

  /// The shared scope of the identifiers of the entity's rows.
  let scope: PersistentIdentifier.Scope

  /// The number of the first column's parameter in ``insertion``.
  ///
  /// The row's key comes first, then its entity if the table has several, then its version.
  var firstColumn: Int { entityName == nil ? 3 : 4 }

  /// The columns of the entity's properties.
  let columns: [WriteColumn]

  /// Whether the rows can refer to others by foreign keys.
  let hasReferences: Bool

  /// The relationships with tables of their own, with the indexes of their properties.
  let joins: [(property: Int, join: JoinMap)]

  /// The constraints on the entity's rows.
  let constraints: [ConstraintMap]

  /// Whether the constraints' unique values include references.
  let hasUniqueReferences: Bool

  /// The indexes of the words of the entity's own columns, with the indexes of their properties.
  let searches: [(property: Int, index: SearchIndexMap)]

  /// Whether each row that is changed or removed needs work of its own: for its words, or its files.
  let needsRowsOneByOne: Bool

  /// The indexes of the one-to-one relationships.
  let oneToOneProperties: [Int]

  /// Whether values of the rows can name other rows.
  let mayRefer: Bool

  /// The statement that inserts a row: its key, its entity if the table has several, its version,
  /// and its columns.
  let insertion: String

  /// The statement that inserts a row unless its unique values are those of another.
  let insertionIfNew: String

  /// The plans for changing some properties of a row.
  ///
  /// A program mostly changes the same ones again and again.
  private let updates = Mutex<[[Int]: UpdatePlan]>([:])

  /// The maximum number of cached plans; a full cache is cleared.
  private static let mostUpdates = 256

  /// The statement that removes a row.
  let deletion: String

  /// The statement that removes the rows of a range of keys.
  let rangeDeletion: String

  /// The statement that counts the rows of a range of keys.
  let rangeCount: String

  init(
    _ map: EntityMap,
    constraints: [ConstraintMap],
    scope: PersistentIdentifier.Scope
  ) {
    self.map = map
    self.constraints = constraints
    self.scope = scope
    let table = map.table
    entityName = table.entityColumn == nil ? nil : map.entity.name
    var columns: [WriteColumn] = []
    for (index, storage) in map.storage.enumerated() {
      guard case .column(let column) = storage else { continue }
      let map = table.columns[column]
      let isExternal = table.externalColumns.contains(map)
      columns.append(WriteColumn(property: index, map, isExternal: isExternal))
    }
    self.columns = columns
    joins = map.joins
    searches = columns.flatMap { column in
      table.liveSearchIndexes.filter { $0.column == column.map }.map { (column.property, $0) }
    }
    needsRowsOneByOne = !table.liveSearchIndexes.isEmpty || !table.fileColumns.isEmpty
    hasUniqueReferences = constraints.contains { constraint in
      constraint.columns.contains(where: \.isReference)
    }
    oneToOneProperties = map.entity.oneToOneProperties
    hasReferences = !joins.isEmpty || columns.contains(where: \.map.isReference)
    mayRefer = hasReferences || columns.contains(where: \.map.isOrder)
    let fixed = [table.key] + (table.entityColumn.map { [$0] } ?? []) + [table.version]
    let names = fixed + columns.map(\.map.sql)
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    insertion =
      "INSERT INTO \(table.sql)(\(names.joined(separator: ", "))) VALUES (\(marks))"
    insertionIfNew = insertion + " ON CONFLICT DO NOTHING"
    deletion = "DELETE FROM \(table.sql) WHERE \(table.key) = ?"
    let range = "FROM \(table.sql) WHERE \(table.key) BETWEEN ? AND ?"
    rangeDeletion = "DELETE \(range)"
    rangeCount = "SELECT count(*) \(range)"
  }

  /// Returns the column of a property, or `nil` if it has none.
  func column(of property: Int) -> WriteColumn? {
    columns.first { $0.property == property }
  }

  /// Returns the plan for changing some of the entity's properties.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a property that the entity lacks, or that is there
  ///   twice.
  func update(of properties: [Int]) throws -> UpdatePlan {
    try updates.withLock { cached in
      if let plan = cached[properties] { return plan }
      if cached.count >= Self.mostUpdates { cached = [:] }
      let plan = try UpdatePlan(properties, self)
      cached[properties] = plan
      return plan
    }
  }

  /// Returns the statement that sets some columns of a row, and then its version.
  static func change(of table: TableMap, _ columns: [ColumnMap]) -> String {
    let list = (columns.map(\.sql) + [table.version]).map { "\($0) = ?" }
    return "UPDATE \(table.sql) SET \(list.joined(separator: ", ")) WHERE \(table.key) = ?"
  }

  /// Returns the statement that sets some columns of a row, at least one, but not its version.
  ///
  /// The save sets the version of the row by another statement.
  static func update(of table: TableMap, _ columns: [ColumnMap]) -> String {
    let list = columns.map { "\($0.sql) = ?" }.joined(separator: ", ")
    return "UPDATE \(table.sql) SET \(list) WHERE \(table.key) = ?"
  }
}

/// The columns and the statement for changing some properties of an entity's rows.
final class UpdatePlan: Sendable {
  /// The constraints to which the changed values belong.
  let constraints: [ConstraintMap]

  /// The columns to write, and these as the table has them.
  let columns: [WriteColumn]
  let maps: [ColumnMap]

  /// The changed relationships with tables of their own.
  let joins: [(property: Int, join: JoinMap)]

  /// The statement that sets the columns, and then the version of the row.
  let sql: String

  /// Whether something is to be done before each row is written: for its unique values, its
  /// references, its words or its files.
  let needsPreparation: Bool

  fileprivate init(_ properties: [Int], _ plan: WritePlan) throws {
    let entity = plan.map.entity
    guard properties.allSatisfy(entity.properties.indices.contains),
      properties.count == 1 || Set(properties).count == properties.count
    else {
      throw DataStoreError(
        .invalidValue,
        "the update names a property that the entity lacks, or names one twice",
        entity: entity.name
      )
    }
    columns = properties.compactMap(plan.column)
    maps = columns.map(\.map)
    joins = plan.joins.filter { properties.contains($0.property) }
    constraints = plan.constraints.filter { constraint in
      properties.contains { constraint.properties.contains(entity.properties[$0].name) }
    }
    sql = WritePlan.change(of: plan.map.table, maps)
    needsPreparation = !constraints.isEmpty || plan.mayRefer || plan.needsRowsOneByOne
  }
}

/// One column of an entity's rows, as needed for writing.
///
/// It is a class, since a row is written column by column, and no part of a column should be copied
/// then.
final class WriteColumn: Sendable {
  /// The index of the property in its entity.
  let property: Int

  let map: ColumnMap

  /// The type of an attribute, or `nil` for a relationship.
  let type: AttributeType?

  /// Whether large values are stored in files.
  let isExternal: Bool

  init(property: Int, _ map: ColumnMap, isExternal: Bool = false) {
    self.property = property
    self.map = map
    self.isExternal = isExternal
    type = map.type
  }
}
