import SQLTranslation
import StoreHelpers
import StoreProtocol

/// Finds the row that has given unique values, with Swift's equality.
///
/// Equal values have equal bytes as long as no column of the constraint is marked
/// (``InexactColumns``); then the unique index finds the row. In marked columns a string may have
/// another form. The rows with such values are read once, compared in memory, and cached for the
/// next save on the connection (``InexactRows``).
final class UniqueFinder {
  /// A row with its own entity.
  struct Row {
    let key: Int64
    let entity: String
  }

  private let connection: Connection
  private let catalog: Catalog

  /// The cached marks of columns; during the transaction only this store sets them.
  private var marks: [String: Bool] = [:]

  /// The entities without inexact unique values, until a column is marked.
  private var exactPlans: Set<ObjectIdentifier> = []

  init(connection: Connection, catalog: Catalog) {
    self.connection = connection
    self.catalog = catalog
  }

  /// Records that a column was marked.
  func noteMark(_ key: String) {
    marks[key] = true
    exactPlans = []
  }

  /// Returns the one row that has the values of some constraint, or `nil` if there is none.
  ///
  /// The values are those of each constraint of the plan, or `nil` if they equal none.
  ///
  /// - Throws: ``DataStoreError/uniqueConflict`` if two constraints match two different rows.
  func row(equalTo values: [[SQLValue]?], _ plan: WritePlan) throws -> Row? {
    var found: (key: Int64, properties: [String])?
    for (constraint, values) in zip(plan.constraints, values) {
      guard let values,
        let key = try key(equalTo: values, constraint, in: plan.map.table, except: nil)
      else { continue }
      if let found, found.key != key {
        let rivals = try [found, (key: key, properties: constraint.properties)].map { rival in
          (row: try identifier(of: rival.key, plan.map), properties: rival.properties)
        }
        throw DataStoreError.uniqueConflict(ofNew: plan.map.entity.name, with: rivals)
      }
      found = (key, constraint.properties)
    }
    guard let found else { return nil }
    return Row(key: found.key, entity: try entity(of: found.key, plan.map))
  }

  /// Returns the identifier of a row with its own entity.
  func identifier(of key: Int64, _ map: EntityMap) throws -> PersistentIdentifier {
    try catalog.identifier(key, of: entity(of: key, map))
  }

  /// Returns the key of the row that has the values, other than a given one, or `nil` if there is
  /// none.
  func key(
    equalTo values: [SQLValue],
    _ constraint: ConstraintMap,
    in table: TableMap,
    except own: Int64?
  ) throws -> Int64? {
    if constraint.equalNoValues(values) { return nil }
    if let key = try exactKey(equalTo: values, constraint, except: own) { return key }
    guard try isMarked(constraint) else { return nil }
    return try inexactKey(equalTo: values, constraint, in: table, except: own)
  }

  /// Records that a row was written.
  func noteWritten(_ key: Int64, _ constraints: [ConstraintMap]) {
    guard !connection.inexactRows.indexes.isEmpty else { return }
    for constraint in constraints {
      connection.inexactRows.indexes[constraint.index.name]?.written.append(key)
    }
  }

  /// Returns the key of a row whose stored values are the exact forms of the given ones.
  private func exactKey(
    equalTo values: [SQLValue],
    _ constraint: ConstraintMap,
    except own: Int64?
  ) throws -> Int64? {
    try connection.withStatement(constraint.lookup) {
      let sought = zip(values, constraint.columns).map { value, column in
        column.canBeNotANumber ? value.comparable : value.composed
      }
      try $0.bind(sought)
      while try $0.step() {
        let key = $0.integer(at: 0)
        if key != own { return key }
      }
      return nil
    }
  }

  /// Returns the stored values of a row's constraint, or `nil` if there is no such row.
  func values(
    of constraint: ConstraintMap,
    row key: Int64,
    in table: TableMap
  ) throws -> [SQLValue]? {
    try connection.first(table.selectionByKey(constraint.list), .integer(key)) { row in
      constraint.columns.indices.map { row.value(at: $0) }
    }
  }

  func exists(_ key: Int64, in table: TableMap) throws -> Bool {
    try connection.withStatement(table.selectionByKey("1")) {
      try $0.bind(key, at: 1)
      return try $0.step()
    }
  }

  private func entity(of key: Int64, _ map: EntityMap) throws -> String {
    try connection.entity(ofRow: key, in: map.table) ?? map.entity.name
  }

  /// Whether rows of an entity may have unique values that the index does not compare as Swift does.
  func hasInexactValues(_ plan: WritePlan) throws -> Bool {
    if exactPlans.contains(ObjectIdentifier(plan)) { return false }
    let isInexact = try plan.constraints.contains(where: isMarked)
    if !isInexact { exactPlans.insert(ObjectIdentifier(plan)) }
    return isInexact
  }

  private func isMarked(_ constraint: ConstraintMap) throws -> Bool {
    try constraint.marks.contains { key in
      if let cached = marks[key] { return cached }
      let isMarked = try InexactColumns.isMarked(key, on: connection)
      marks[key] = isMarked
      return isMarked
    }
  }

  /// Returns the key of a row with inexact values, which is read again: it may have changed.
  private func inexactKey(
    equalTo values: [SQLValue],
    _ constraint: ConstraintMap,
    in table: TableMap,
    except own: Int64?
  ) throws -> Int64? {
    // Removed meanwhile, so that the keys are not copied.
    let name = constraint.index.name
    var rows =
      try connection.inexactRows.indexes.removeValue(forKey: name)
      ?? inexactRows(of: constraint)
    for key in rows.written {
      if let values = try self.values(of: constraint, row: key, in: table) {
        rows.note(key, values)
      }
    }
    rows.written = []
    let wanted = values.map(\.comparable)
    let found = try rows.keys[wanted]?.filter { key in
      try self.values(of: constraint, row: key, in: table)?.map(\.comparable) == wanted
    }
    rows.keys[wanted] = found
    connection.inexactRows.indexes[name] = rows
    return found?.first { $0 != own }
  }

  /// - Complexity: O(*n*) in the rows of the table.
  private func inexactRows(of constraint: ConstraintMap) throws -> InexactRows.Index {
    try connection.withStatement(constraint.selection) { statement in
      var rows = InexactRows.Index()
      let count = constraint.columns.count
      while try statement.step() {
        rows.note(statement.integer(at: count), (0..<count).map { statement.value(at: $0) })
        rows.capacity += 2
      }
      return rows
    }
  }
}

extension SQLValue {
  /// The form in which a string is looked up.
  fileprivate var composed: SQLValue {
    if case .text(let text) = self { return .text(ExactText.composed(text)) }
    return self
  }
}
