struct KeyedNothing<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { false }

  func decodeNil(forKey key: Key) throws -> Bool { true }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try PlaceholderDecoder.made(T.self, depth: depth)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    KeyedDecodingContainer(KeyedNothing<NestedKey>(depth: depth))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    UnkeyedNothing(depth: depth)
  }

  func superDecoder() throws -> any Decoder { DecoderOfNothing(depth: depth) }

  func superDecoder(forKey key: Key) throws -> any Decoder { DecoderOfNothing(depth: depth) }
}

/// An empty list, which still gives elements to types that ask for a fixed number of them.
struct UnkeyedNothing: UnkeyedDecodingContainer {
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var count: Int? { 0 }
  var isAtEnd: Bool { true }
  private(set) var currentIndex = 0

  init(depth: Int) { self.depth = depth }

  mutating func decodeNil() throws -> Bool {
    try advance()
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try advance()
    return try PlaceholderDecoder.made(T.self, depth: depth)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try advance()
    return KeyedDecodingContainer(KeyedNothing<NestedKey>(depth: depth))
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try advance()
    return UnkeyedNothing(depth: depth)
  }

  mutating func superDecoder() throws -> any Decoder {
    try advance()
    return DecoderOfNothing(depth: depth)
  }

  // A type that reads until reading fails must come to an end.
  private mutating func advance() throws {
    guard currentIndex < 1_000 else { throw NoPlaceholder() }
    currentIndex += 1
  }
}

struct SingleNothing: SingleValueDecodingContainer {
  let depth: Int
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try PlaceholderDecoder.made(T.self, depth: depth)
  }
}
