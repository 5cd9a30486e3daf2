import StoreProtocol

/// Creates a placeholder value of any Decodable type, for objects whose row was deleted.
///
/// A getter must return a value even then. The value is zero, empty, false, nil or the first case,
/// member by member. If a type rejects those, it is a value that was read or written before.
public enum PlaceholderDecoder {
  /// Returns a value of a type, or `nil` if none can be created.
  public static func value<V: Decodable>(of type: V.Type) -> V? {
    madeFromNothing(type) ?? FallbackValues.value(of: type)
  }

  /// Returns zero, an empty value, nil or the first case, or `nil` if the type rejects all of them.
  static func madeFromNothing<V: Decodable>(_ type: V.Type) -> V? {
    (try? made(V.self, filling: Filling())) ?? zeroed(V.self)
  }

  static func made<V: Decodable>(_ type: V.Type, filling: Filling) throws -> V {
    if let scalar = V.self as? any StoreScalar.Type, let value = filling.scalar(scalar) as? V {
      return value
    }
    if filling.round == nil, let optional = V.self as? any ExpressibleByNilLiteral.Type,
      let value = none(optional) as? V
    {
      return value
    }
    if let cases = V.self as? any CaseIterable.Type, let value = one(of: cases, filling) as? V {
      return value
    }
    if let raw = V.self as? any RawRepresentable.Type, let value = make(raw, filling) as? V {
      return value
    }
    guard filling.depth < StoreValueEncoder.depthLimit else { throw NoPlaceholder() }
    do {
      return try V.decoded(by: DecoderOfNothing(filling: filling.decoding))
    } catch {
      if filling.round != nil, !filling.isPlain { return try made(type, filling: filling.plain) }
      guard let value = zeroed(V.self, isSecond: filling.isSecond) else { throw error }
      return value
    }
  }

  private static func none<T: ExpressibleByNilLiteral>(_ type: T.Type) -> T { nil }

  private static func one<T: CaseIterable>(of type: T.Type, _ filling: Filling) -> T? {
    filling.isSecond ? T.allCases.dropFirst().first ?? T.allCases.first : T.allCases.first
  }

  private static func make<T: RawRepresentable>(_ type: T.Type, _ filling: Filling) -> T? {
    guard let scalar = T.RawValue.self as? any StoreScalar.Type else { return nil }
    let first = (scalar.init(storeValue: scalar.placeholder) as? T.RawValue)
      .flatMap { T(rawValue: $0) }
    if let first, !filling.isSecond { return first }
    let others = (Int64(1)...16).lazy
      .compactMap { scalar.init(storeValue: .integer($0)) as? T.RawValue }
      .compactMap { T(rawValue: $0) }
    return filling.isSecond && first == nil
      ? others.dropFirst().first ?? others.first : others.first
  }

  /// Returns the first case of an enumeration of two cases or more, or `nil` for most other types.
  static func firstCase<V>(of type: V.Type, isSecond: Bool) -> V? {
    MemoryLayout<V>.size == 1 ? zeroed(type, isSecond: isSecond) : nil
  }

  // Zero bytes are the first case of an enumeration and zero in all other plain types. Of types
  // without content, only those with raw values certainly have a value. A type of one byte has at
  // least two values, so one is valid if zero is.
  private static func zeroed<V>(_ type: V.Type, isSecond: Bool = false) -> V? {
    guard _isPOD(V.self), MemoryLayout<V>.size > 0 || V.self is any RawRepresentable.Type else {
      return nil
    }
    return withUnsafeTemporaryAllocation(
      byteCount: max(MemoryLayout<V>.size, 1),
      alignment: MemoryLayout<V>.alignment
    ) { bytes in
      _ = bytes.initializeMemory(as: UInt8.self, repeating: 0)
      if isSecond, MemoryLayout<V>.size == 1 { bytes[0] = 1 }
      return bytes.load(as: V.self)
    }
  }
}

/// An error for a type that has no placeholder value.
struct NoPlaceholder: Error {}

/// A decoder that returns zero or an empty value for every request.
struct DecoderOfNothing: Decoder {
  let filling: Filling
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedNothing(filling: filling))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    UnkeyedNothing(filling: filling)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleNothing(filling: filling)
  }
}
