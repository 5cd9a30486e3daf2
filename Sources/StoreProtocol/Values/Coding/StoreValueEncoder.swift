/// Encodes Codable values as stored values.
///
/// A keyed container becomes a composite with its members in the order of encoding, an unkeyed
/// container an array. Types with their own stored form keep it in any position. Sets and
/// dictionaries are sorted, so that equal ones have equal stored forms.
package enum StoreValueEncoder {
  /// The maximum nesting depth of values, which limits what stores and decoders must support.
  package static let depthLimit = 64

  /// Returns the stored form of a value.
  ///
  /// - Throws: `DataStoreError.invalidValue` if the value's own encoding throws, violates the rules
  ///   of containers, or nests deeper than 64 levels; the cause contains the location.
  package static func encode<V: Encodable>(_ value: V) throws -> StoreValue {
    do {
      return try stored(value, at: [])
    } catch let error as DataStoreError {
      throw error
    } catch {
      throw DataStoreError(
        .invalidValue,
        "a value of \(V.self) cannot be encoded",
        cause: error
      )
    }
  }

  /// Returns the stored form of a value at some depth of a larger one.
  static func stored<V: Encodable>(
    _ value: V,
    at codingPath: @autoclosure () -> [any CodingKey]
  ) throws -> StoreValue {
    if let scalar = value as? any StoreScalar { return scalar.storeValue }
    let path = codingPath()
    guard path.count < depthLimit else {
      // The value itself would be printed with the error, by a stack frame for each level.
      throw EncodingError.invalidValue(
        V.self,
        .init(codingPath: path, debugDescription: "the value nests deeper than 64 levels")
      )
    }
    if V.self is any OptionalType.Type, let optional = value as? any EncodableOptional {
      return try optional.stored(at: path)
    }
    if let ordered = value as? any OrderedForStoring { return try ordered.stored(at: path) }
    return try throughContainers(value, at: path)
  }

  private static func throughContainers(
    _ value: some Encodable,
    at path: [any CodingKey]
  ) throws -> StoreValue {
    let node = EncodingNode()
    try value.encode(to: StoreEncoder(node: node, codingPath: path))
    return try node.finished(at: path)
  }
}

/// The encoder for a type's own `encode(to:)`.
struct StoreEncoder: Encoder {
  let node: EncodingNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.begin(.members)
    return KeyedEncodingContainer(KeyedStoreEncoding(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.begin(.elements)
    return UnkeyedStoreEncoding(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleStoreEncoding(node: node, codingPath: codingPath)
  }
}
