/// Decodes Codable values from their stored form.
package enum StoreValueDecoder {
  /// Returns the value of a stored form.
  ///
  /// - Throws: `DataStoreError.invalidValue` if the stored form is invalid for the type; the cause
  ///   is the `DecodingError` with the location.
  package static func decode<V: Decodable>(_ type: V.Type, from stored: StoreValue) throws -> V {
    do {
      return try value(V.self, from: stored, at: [])
    } catch let error as DataStoreError {
      throw error
    } catch {
      throw DataStoreError(
        .invalidValue,
        "\(stored.kindName) cannot be read as \(V.self)",
        cause: error
      )
    }
  }

  /// Decodes a value at some depth of a larger one.
  static func value<V: Decodable>(
    _ type: V.Type,
    from stored: StoreValue,
    at codingPath: @autoclosure () -> [any CodingKey]
  ) throws -> V {
    if let scalar = V.self as? any StoreScalar.Type {
      guard let result = read(scalar, from: stored) as? V else {
        throw mismatch(V.self, stored, at: codingPath())
      }
      return result
    }
    let path = codingPath()
    guard path.count < StoreValueEncoder.depthLimit else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: path, debugDescription: "the value nests deeper than 64 levels")
      )
    }
    if let inner = NestedOptionalForm.inner(of: stored),
      let nested = V.self as? any NestedOptional.Type,
      let result = try nested.holding(inner, at: path + [PlainKey.ofValue]) as? V
    {
      return result
    }
    return try V.decoded(by: StoreDecoder(stored: stored, codingPath: path))
  }

  // Stricter than the scalars themselves: types that try one kind after another must find the kind
  // that they encoded. An integer is still accepted as a floating-point number, for members whose
  // type changed.
  private static func read<S: StoreScalar>(_ type: S.Type, from stored: StoreValue) -> S? {
    switch stored {
    case .integer, .unsigned: S.self == Bool.self ? nil : S(storeValue: stored)
    case .double: S.attributeType.isInteger ? nil : S(storeValue: stored)
    default: S(storeValue: stored)
    }
  }

  static func mismatch(
    _ type: Any.Type,
    _ stored: StoreValue,
    at path: [any CodingKey]
  ) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: path,
      debugDescription: "the stored value is \(stored.kindName), which does not fit \(type)"
    )
    return stored.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}

/// The decoder for a type's own `init(from:)`.
struct StoreDecoder: Decoder {
  let stored: StoreValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .composite(let members) = stored else {
      throw StoreValueDecoder.mismatch([String: Any].self, stored, at: codingPath)
    }
    return KeyedDecodingContainer(KeyedStoreDecoding(members: members, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = stored else {
      throw StoreValueDecoder.mismatch([Any].self, stored, at: codingPath)
    }
    return UnkeyedStoreDecoding(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleStoreDecoding(stored: stored, codingPath: codingPath)
  }
}
