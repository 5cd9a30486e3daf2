// One generic method in each container replaces all the overloads that the protocols require.

struct KeyedStoreDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let codingPath: [any CodingKey]
  private let members: [StoreValue.Member]
  private let positions: [String: Int]?

  init(members: [StoreValue.Member], codingPath: [any CodingKey]) {
    self.members = members
    self.codingPath = codingPath
    positions =
      members.count <= 8
      ? nil
      : Dictionary(firstOf: members.enumerated().map { ($1.name, $0) })
  }

  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

  func contains(_ key: Key) -> Bool { member(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try stored(key).isNull }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try StoreValueDecoder.value(T.self, from: stored(key), at: codingPath + [key])
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard let stored = member(key) else { return nil }
    if stored.isNull, !(T.self is any OptionalType.Type) { return nil }
    return try StoreValueDecoder.value(T.self, from: stored, at: codingPath + [key])
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(stored(key), key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(stored(key), key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    decoder(member(PlainKey.ofSuper) ?? .null, PlainKey.ofSuper)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    decoder(member(key) ?? .null, key)
  }

  private func member(_ key: any CodingKey) -> StoreValue? {
    let name = key.stringValue
    if let positions { return positions[name].map { members[$0].value } }
    return members.first { $0.name == name }?.value
  }

  private func stored(_ key: Key) throws -> StoreValue {
    if let value = member(key) { return value }
    throw DecodingError.keyNotFound(
      key,
      .init(codingPath: codingPath, debugDescription: "the value has no member \(key.stringValue)")
    )
  }

  private func decoder(_ stored: StoreValue, _ key: any CodingKey) -> StoreDecoder {
    StoreDecoder(stored: stored, codingPath: codingPath + [key])
  }
}

struct UnkeyedStoreDecoding: UnkeyedDecodingContainer {
  let elements: [StoreValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try stored(Any?.self).isNull else { return false }
    currentIndex += 1
    return true
  }

  // The index does not advance if decoding fails, so that another type can be tried.
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let result = try StoreValueDecoder.value(T.self, from: stored(T.self), at: path)
    currentIndex += 1
    return result
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }

  private var path: [any CodingKey] { codingPath + [PlainKey(intValue: currentIndex)] }

  private mutating func next<T>(_ read: (StoreDecoder) throws -> T) throws -> T {
    let decoder = StoreDecoder(stored: try stored((any Decoder).self), codingPath: path)
    let result = try read(decoder)
    currentIndex += 1
    return result
  }

  private func stored(_ type: Any.Type) throws -> StoreValue {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        .init(codingPath: path, debugDescription: "the list has no more elements")
      )
    }
    return elements[currentIndex]
  }
}

struct SingleStoreDecoding: SingleValueDecodingContainer {
  let stored: StoreValue
  let codingPath: [any CodingKey]

  func decodeNil() -> Bool { stored.isNull }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try StoreValueDecoder.value(T.self, from: stored, at: codingPath + [PlainKey.ofValue])
  }
}
