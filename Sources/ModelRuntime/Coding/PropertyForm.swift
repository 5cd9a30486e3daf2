import StoreProtocol

/// The stored form of the values of a property, as in rows.
package enum PropertyForm {
  /// Returns the stored form of a value.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a value that cannot be encoded.
  package static func stored<V: Encodable>(_ value: V) throws -> StoreValue {
    if rawType(of: V.self) != nil, let stored = StoreValue(any: value) { return stored }
    return try StoreValueEncoder.encode(value)
  }

  /// Returns the value of a stored form.
  ///
  /// - Throws: ``DataStoreError/invalidValue`` for a stored form that is not of the type.
  package static func value<V: Decodable>(_ type: V.Type, of stored: StoreValue) throws -> V {
    guard let raw = rawType(of: type), !(stored.isNull && V.self is any OptionalType.Type) else {
      return try StoreValueDecoder.decode(type, from: stored)
    }
    guard let value = enumeration(raw, stored) as? V else {
      throw DataStoreError(.invalidValue, "\(stored.kindName) is not a raw value of \(V.self)")
    }
    return value
  }

  /// Returns the Codable type that represents a property's in an encoded snapshot: a string for a
  /// character.
  package static func codableType(of type: Any.Type) -> (any Codable.Type)? {
    if type == Character.self { return String.self }
    if type == Character?.self { return String?.self }
    return CodableTypes.type(type)
  }

  /// Checks that a stored form can be read as a value of a type that represents a property's.
  package static func check<V: Codable>(
    _ stored: StoreValue,
    as type: V.Type,
    for property: Any.Type
  ) throws {
    _ = try value(type, of: stored)
    guard !stored.isNull, !(property is any Codable.Type), Character(storeValue: stored) == nil
    else { return }
    throw DataStoreError(.invalidValue, "the string is not a single character")
  }

  /// Returns the type that is stored by its raw value, with one optional unwrapped.
  private static func rawType(of type: Any.Type) -> (any RawRepresentable.Type)? {
    let type = (type as? any OptionalType.Type)?.wrapped ?? type
    guard let raw = type as? any RawRepresentable.Type, hasScalar(raw) else { return nil }
    return raw
  }

  private static func hasScalar<R: RawRepresentable>(_ type: R.Type) -> Bool {
    R.RawValue.self is any StoreScalar.Type && !(type is any StoreScalar.Type)
  }

  private static func enumeration<R: RawRepresentable>(
    _ type: R.Type,
    _ stored: StoreValue
  ) -> R? {
    let scalar = (R.RawValue.self as? any StoreScalar.Type)?.init(storeValue: stored)
    return (scalar as? R.RawValue).flatMap(R.init(rawValue:))
  }
}
