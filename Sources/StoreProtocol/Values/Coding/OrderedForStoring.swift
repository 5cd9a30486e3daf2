/// A collection without an inherent order, which is stored in a defined order.
package protocol OrderedForStoring {
  /// Returns the stored form, which is identical for equal collections.
  func stored(at path: [any CodingKey]) throws -> StoreValue
}

extension Set: OrderedForStoring where Element: Encodable {
  package func stored(at path: [any CodingKey]) throws -> StoreValue {
    let elements = try map { try StoreValueEncoder.stored($0, at: path + [PlainKey.ofValue]) }
    return .array(elements.sorted { StoreValue.sortOrder($0, $1) < 0 })
  }
}

extension Dictionary: OrderedForStoring where Key: Encodable, Value: Encodable {
  // Like the standard library: strings, integers and CodingKeyRepresentable keys are names of
  // members; any other keys and their values alternate in a list.
  package func stored(at path: [any CodingKey]) throws -> StoreValue {
    var members: [StoreValue.Member] = []
    var pairs: [(key: StoreValue, value: StoreValue)] = []
    for (key, value) in self {
      let codingKey = Self.name(of: key) ?? PlainKey.ofValue
      let stored = try StoreValueEncoder.stored(value, at: path + [codingKey])
      if Self.name(of: key) != nil {
        members.append(StoreValue.Member(codingKey.stringValue, stored))
      } else {
        pairs.append((try StoreValueEncoder.stored(key, at: path + [codingKey]), stored))
      }
    }
    guard pairs.isEmpty, Self.hasNamedKeys else {
      pairs.sort { StoreValue.sortOrder($0.key, $1.key) < 0 }
      return .array(pairs.flatMap { [$0.key, $0.value] })
    }
    return .composite(members.sorted { $0.name < $1.name })
  }

  private static var hasNamedKeys: Bool {
    Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
  }

  private static func name(of key: Key) -> (any CodingKey)? {
    switch key {
    case let text as String: PlainKey(stringValue: text)
    case let number as Int: PlainKey(stringValue: String(number))
    case let other as any CodingKeyRepresentable: other.codingKey
    default: nil
    }
  }
}
