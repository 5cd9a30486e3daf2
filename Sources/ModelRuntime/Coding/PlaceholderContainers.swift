struct KeyedNothing<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let filling: Filling
  var codingPath: [any CodingKey] { [] }
  /// The first of the keys that are cases of an enumeration, otherwise empty: an enumeration with
  /// payloads requests the key that identifies its case.
  var allKeys: [Key] {
    PlaceholderDecoder.firstCase(of: Key.self, isSecond: filling.isSecond).map { [$0] } ?? []
  }

  func contains(_ key: Key) -> Bool { filling.round != nil }

  func decodeNil(forKey key: Key) throws -> Bool { filling.round == nil }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try PlaceholderDecoder.made(T.self, filling: filling.inside(key.stringValue))
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    filling.round == nil ? nil : try decode(T.self, forKey: key)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    KeyedDecodingContainer(KeyedNothing<NestedKey>(filling: filling.inside(key.stringValue)))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    UnkeyedNothing(filling: filling.inside(key.stringValue))
  }

  func superDecoder() throws -> any Decoder { DecoderOfNothing(filling: filling) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    DecoderOfNothing(filling: filling.inside(key.stringValue))
  }
}

/// An empty list, which still returns elements to types that request a fixed number of them.
struct UnkeyedNothing: UnkeyedDecodingContainer {
  let filling: Filling
  var codingPath: [any CodingKey] { [] }
  var count: Int? { filling.elementCount }
  var isAtEnd: Bool { currentIndex >= filling.elementCount }
  private(set) var currentIndex = 0

  init(filling: Filling) { self.filling = filling }

  mutating func decodeNil() throws -> Bool {
    guard filling.round == nil else { return false }
    try advance()
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let element = filling.element(currentIndex)
    try advance()
    return try PlaceholderDecoder.made(T.self, filling: element)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try advance()
    return KeyedDecodingContainer(KeyedNothing<NestedKey>(filling: filling))
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try advance()
    return UnkeyedNothing(filling: filling)
  }

  mutating func superDecoder() throws -> any Decoder {
    try advance()
    return DecoderOfNothing(filling: filling)
  }

  // A type that reads until an error must terminate.
  private mutating func advance() throws {
    guard currentIndex < 1_000 else { throw NoPlaceholder() }
    currentIndex += 1
  }
}

struct SingleNothing: SingleValueDecodingContainer {
  let filling: Filling
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try PlaceholderDecoder.made(T.self, filling: filling.inside(nil))
  }
}
