/// The kinds of the values in a token, which a client may have edited.
struct PageTokenCheck {
  let query: StoreQuery
  let schema: StoreSchema

  /// Throws ``DataStoreError/invalidValue`` unless a row can have the value of a sort term.
  func check(_ value: StoreValue, of term: QuerySort) throws {
    let end = end(of: term.value)
    guard !fits(value, end) else { return }
    let expected =
      if case .attribute(let type)? = end?.kind { "of type \(type.rawValue)" } else { "sorted" }
    throw DataStoreError(
      .invalidValue,
      "the page token has \(value.kindName) for \(term.value), whose values are \(expected); "
        + "begin with the first page",
      entity: end?.entity ?? query.entity,
      property: end?.name
    )
  }

  /// The property whose values a term has.
  // Its parts: with the whole `StoreProperty`, the optimizer ends with "Found ownership error"
  // (Swift 6.3.1, release).
  private struct End {
    let entity: String
    let name: String
    let kind: StoreProperty.Kind
    let isOptional: Bool
  }

  /// Returns the property at the end of a path of relationships, or `nil` for other expressions.
  private func end(of expression: QueryExpression) -> End? {
    guard case .property(let owner, let name) = expression else { return nil }
    if case .element(0) = owner { return end(query.entity, name, isOptional: false) }
    guard case .toOne(let relationship)? = end(of: owner)?.kind else { return nil }
    // There may be no related object.
    return end(relationship.destination, name, isOptional: true)
  }

  private func end(_ entity: String, _ name: String, isOptional: Bool) -> End? {
    schema.entity(named: entity)?.property(named: name).map {
      End(entity: entity, name: name, kind: $0.kind, isOptional: isOptional || $0.isOptional)
    }
  }

  private func fits(_ value: StoreValue, _ end: End?) -> Bool {
    switch (value, end?.kind) {
    case (.null, _): end?.isOptional ?? true
    case (_, .attribute(let type)?): type.fits(value)
    case (.identifier, .toOne?): true
    case (.identifier, _), (.identifiers, _), (.array, _): false
    default: end == nil
    }
  }
}

extension AttributeType {
  /// Whether a value is one of the type.
  fileprivate func fits(_ value: StoreValue) -> Bool {
    switch (self, value) {
    case (.bool, .bool), (.double, .double), (.decimal, .decimal), (.string, .string),
      (.url, .string), (.date, .date), (.data, .data), (.uuid, .uuid), (.int64, .integer),
      (.uint64, .unsigned):
      true
    case (.float, .double(let number)): number.isNaN || Double(Float(number)) == number
    case (.int8, .integer(let number)): Int8(exactly: number) != nil
    case (.int16, .integer(let number)): Int16(exactly: number) != nil
    case (.int32, .integer(let number)): Int32(exactly: number) != nil
    case (.uint8, .integer(let number)): UInt8(exactly: number) != nil
    case (.uint16, .integer(let number)): UInt16(exactly: number) != nil
    case (.uint32, .integer(let number)): UInt32(exactly: number) != nil
    case (.uint64, .integer(let number)): number >= 0
    case (.codable, .identifier), (.codable, .identifiers): false
    case (.codable, _): true
    default: false
    }
  }
}
