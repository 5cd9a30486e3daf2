import SQLTranslation
import StoreProtocol

/// Binding of property values to the parameters of statements.
extension ChangeWriter {
  /// Binds the value of a property in its stored form.
  ///
  /// - Returns: Whether the value is bound; a null replaces one that refers to rows whose keys are
  ///   not known yet.
  func bind(
    _ value: StoreValue,
    to column: WriteColumn,
    _ plan: WritePlan,
    _ statement: Statement,
    at index: Int
  ) throws -> Bool {
    switch (column.map.content, value) {
    case (_, .null): try statement.bindNull(at: index)
    case (.value(let type), _): try bind(value, as: type, column, plan, statement, index)
    case (.reference(let table, _), .identifier(let identifier)):
      // A row that was deleted has no number here, since the index would find it equal to itself.
      let isUnique = plan.constraints.contains { $0.columns.contains(column.map) }
      let row = isUnique ? try uniqueKey(of: identifier, in: table) : key(of: identifier)
      guard let row else {
        try statement.bindNull(at: index)
        if isUnique, !identifier.isTemporary { loseUniqueReference() }
        return !identifier.isTemporary
      }
      try statement.bind(row, at: index)
    case (.order, .identifiers(let list)):
      guard let keys = storedKeys(list) else {
        try statement.bindNull(at: index)
        return false
      }
      try statement.bind(KeyList.encoded(keys), at: index)
    default: throw mismatch(value, column.property, plan.map.entity)
    }
    return true
  }

  private func bind(
    _ value: StoreValue,
    as type: AttributeType,
    _ column: WriteColumn,
    _ plan: WritePlan,
    _ statement: Statement,
    _ index: Int
  ) throws {
    do {
      let stored = try SQLValue(value, as: type)
      if type.hasInexactValues, !stored.isExact { try mark(column.map, in: plan.map.table) }
      try statement.bind(try filed(stored, column, plan) ?? stored, at: index)
    } catch let error as SQLValue.AttributeMismatch {
      throw invalid(error.reason, column.property, plan.map.entity)
    }
  }

  /// Returns the keys of a list, or `nil` while one of them is not known.
  ///
  /// A key of another kind of store refers to no row here and is left out.
  func storedKeys(_ list: [PersistentIdentifier]) -> [Int64]? {
    var keys: [Int64] = []
    keys.reserveCapacity(list.count)
    for identifier in list {
      if let key = key(of: identifier) {
        keys.append(key)
      } else if identifier.isTemporary {
        return nil
      }
    }
    return keys
  }

  func mismatch(
    _ value: StoreValue,
    _ property: Int,
    _ entity: StoreEntity
  ) -> DataStoreError {
    invalid("\(value.kindName) does not fit the property", property, entity)
  }

  func invalid(_ reason: String, _ property: Int, _ entity: StoreEntity) -> DataStoreError {
    let property = entity.properties[property].name
    return DataStoreError(.invalidValue, reason, entity: entity.name, property: property)
  }
}
