import StoreProtocol

/// Values into the parameters of statements.
extension ChangeWriter {
  /// Binds the value of a property.
  ///
  /// - Returns: Whether the value is bound; a null stands in for one that refers to rows whose
  ///   keys are not known yet.
  func bind(
    _ value: StoreValue,
    of property: Int,
    to column: ColumnMap,
    in map: EntityMap,
    _ statement: Statement,
    at index: Int
  ) throws -> Bool {
    switch column.content {
    case .value(let type):
      try bind(value, as: type, property, column, map, statement, index)
      return true
    case .reference:
      return try bindReference(value, property, map, statement, index)
    case .order:
      guard case .identifiers(let list) = value else {
        guard value.isNull else { throw misfit(value, property, map.entity) }
        try statement.bindNull(at: index)
        return true
      }
      guard let known = knownKeys(list) else {
        try statement.bindNull(at: index)
        return false
      }
      try statement.bind(KeyList.encoded(known), at: index)
      return true
    }
  }

  private func bind(
    _ value: StoreValue,
    as type: AttributeType,
    _ property: Int,
    _ column: ColumnMap,
    _ map: EntityMap,
    _ statement: Statement,
    _ index: Int
  ) throws {
    switch (type, value) {
    // The usual kinds straight away; the rest by way of their stored form.
    case (_, .null): try statement.bindNull(at: index)
    case (.int64, .integer(let number)): try statement.bind(number, at: index)
    case (.string, .string(let text)):
      if !ExactText.isComposed(text) { try mark(column, in: map.table) }
      try statement.bind(text, at: index)
    default:
      do {
        let stored = try SQLValue(value, as: type)
        if type.hasInexactValues, !stored.isExact { try mark(column, in: map.table) }
        try statement.bind(stored, at: index)
      } catch let error as SQLValue.Misfit {
        throw DataStoreError(
          .invalidValue,
          error.reason,
          entity: map.entity.name,
          property: map.entity.properties[property].name
        )
      }
    }
  }

  private func bindReference(
    _ value: StoreValue,
    _ property: Int,
    _ map: EntityMap,
    _ statement: Statement,
    _ index: Int
  ) throws -> Bool {
    guard case .identifier(let identifier) = value else {
      guard value.isNull else { throw misfit(value, property, map.entity) }
      try statement.bindNull(at: index)
      return true
    }
    if let key = identifier.integerKey ?? keys[identifier] {
      try statement.bind(key, at: index)
      return true
    }
    try statement.bindNull(at: index)
    return !identifier.isTemporary
  }

  /// The keys of a list, nil while one of them is not known.
  ///
  /// A key of another kind of store names no row here and is left out.
  func knownKeys(_ list: [PersistentIdentifier]) -> [Int64]? {
    var known: [Int64] = []
    known.reserveCapacity(list.count)
    for identifier in list {
      if let key = identifier.integerKey ?? keys[identifier] {
        known.append(key)
      } else if identifier.isTemporary {
        return nil
      }
    }
    return known
  }

  func misfit(
    _ value: StoreValue,
    _ property: Int,
    _ entity: StoreEntity
  ) -> DataStoreError {
    DataStoreError(
      .invalidValue,
      "\(value.kindName) does not fit the property",
      entity: entity.name,
      property: entity.properties[property].name
    )
  }
}
