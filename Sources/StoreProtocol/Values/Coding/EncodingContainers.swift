// One generic method in each container replaces all the overloads that the protocols require.

struct KeyedStoreEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodingNode
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) throws { node.set(key.stringValue, to: .null) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    node.set(key.stringValue, to: try StoreValueEncoder.stored(value, at: codingPath + [key]))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder(for: key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(for: key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(for: PlainKey.ofSuper) }

  func superEncoder(forKey key: Key) -> any Encoder { encoder(for: key) }

  private func encoder(for key: any CodingKey) -> StoreEncoder {
    StoreEncoder(node: node.setNode(key.stringValue), codingPath: codingPath + [key])
  }
}

struct UnkeyedStoreEncoding: UnkeyedEncodingContainer {
  let node: EncodingNode
  let codingPath: [any CodingKey]

  var count: Int { node.count }

  func encodeNil() throws { node.append(.null) }

  func encode<T: Encodable>(_ value: T) throws {
    let path = codingPath + [PlainKey(intValue: count)]
    node.append(try StoreValueEncoder.stored(value, at: path))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder() }

  private func encoder() -> StoreEncoder {
    let path = codingPath + [PlainKey(intValue: count)]
    return StoreEncoder(node: node.appendNode(), codingPath: path)
  }
}

struct SingleStoreEncoding: SingleValueEncodingContainer {
  let node: EncodingNode
  let codingPath: [any CodingKey]

  func encodeNil() throws { node.setValue(.null) }

  func encode<T: Encodable>(_ value: T) throws {
    let path = codingPath + [PlainKey.ofValue]
    node.setValue(try StoreValueEncoder.stored(value, at: path))
  }
}

/// A key for positions without a key of the type.
struct PlainKey: CodingKey {
  static let ofSuper = PlainKey(stringValue: "super")
  static let ofValue = PlainKey(stringValue: "value")

  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "Index \(intValue)"
    self.intValue = intValue
  }
}
