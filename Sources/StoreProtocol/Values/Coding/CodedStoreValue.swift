import Foundation

/// A stored value in a form that any coder supports and that preserves its kind.
struct CodedStoreValue: Codable {
  let value: StoreValue

  init(value: StoreValue) {
    self.value = value
  }

  enum Kind: String, CodingKey {
    case double = "$double"
    case decimal = "$decimal"
    case date = "$date"
    case data = "$data"
    case uuid = "$uuid"
    case identifier = "$identifier"
    case identifiers = "$identifiers"
    case composite = "$composite"
  }

  private struct Member: Codable {
    let name: String
    let value: CodedStoreValue
  }

  init(from decoder: any Decoder) throws {
    if let plain = Self.plain(from: decoder) {
      value = plain
      return
    }
    let container = try decoder.container(keyedBy: Kind.self)
    guard let kind = container.allKeys.first else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a value without a kind")
      )
    }
    value = try Self.tagged(kind, from: container)
  }

  private static func plain(from decoder: any Decoder) -> StoreValue? {
    guard let container = try? decoder.singleValueContainer() else { return nil }
    if container.decodeNil() { return .null }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int64.self) { return .integer(value) }
    if let value = try? container.decode(UInt64.self) { return .unsigned(value) }
    if let value = try? container.decode(String.self) { return .string(value) }
    if let value = try? container.decode([CodedStoreValue].self) {
      return .array(value.map(\.value))
    }
    return nil
  }

  private static func tagged(
    _ kind: Kind,
    from container: KeyedDecodingContainer<Kind>
  ) throws -> StoreValue {
    switch kind {
    case .double:
      let bits = try container.decode(String.self, forKey: kind)
      guard let value = Double(exactText: bits) else {
        throw DecodingError.dataCorruptedError(
          forKey: kind,
          in: container,
          debugDescription: "\(bits) is not a floating-point number"
        )
      }
      return .double(value)
    case .decimal:
      let text = try container.decode(String.self, forKey: kind)
      return .decimal(Decimal(string: text) ?? .nan)
    case .date:
      if let text = try? container.decode(String.self, forKey: kind),
        let seconds = Double(exactText: text)
      {
        return .date(Date(timeIntervalSinceReferenceDate: seconds))
      }
      return .date(try container.decode(Date.self, forKey: kind))
    case .data: return .data(try container.decode(Data.self, forKey: kind))
    case .uuid: return .uuid(try container.decode(UUID.self, forKey: kind))
    case .identifier:
      return .identifier(try container.decode(PersistentIdentifier.self, forKey: kind))
    case .identifiers:
      return .identifiers(try container.decode([PersistentIdentifier].self, forKey: kind))
    case .composite:
      let members = try container.decode([Member].self, forKey: kind)
      return .composite(members.map { StoreValue.Member($0.name, $0.value.value) })
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch value {
    case .null, .bool, .integer, .unsigned, .string, .array:
      try encodePlain(to: encoder)
    default:
      var container = encoder.container(keyedBy: Kind.self)
      try encodeTagged(to: &container)
    }
  }

  private func encodePlain(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value {
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values.map { CodedStoreValue(value: $0) })
    default: try container.encodeNil()
    }
  }

  private func encodeTagged(to container: inout KeyedEncodingContainer<Kind>) throws {
    switch value {
    case .double(let value): try container.encode(value.exactText, forKey: .double)
    case .decimal(let value): try container.encode(value.description, forKey: .decimal)
    case .date(let value):
      let seconds = value.timeIntervalSinceReferenceDate
      if seconds.isFinite {
        try container.encode(value, forKey: .date)
      } else {
        // JSON has no such number.
        try container.encode(seconds.exactText, forKey: .date)
      }
    case .data(let value): try container.encode(value, forKey: .data)
    case .uuid(let value): try container.encode(value, forKey: .uuid)
    case .identifier(let value): try container.encode(value, forKey: .identifier)
    case .identifiers(let value): try container.encode(value, forKey: .identifiers)
    case .composite(let members):
      let coded = members.map { Member(name: $0.name, value: CodedStoreValue(value: $0.value)) }
      try container.encode(coded, forKey: .composite)
    default: break
    }
  }

  /// Whether a value would not be decoded exactly from its Codable form.
  ///
  /// JSON lacks NaN and infinities, and a member can have the name of a kind.
  static func needsKind(_ value: StoreValue) -> Bool {
    switch value {
    case .double(let value): !value.isFinite
    case .decimal(let value): !value.isFinite
    case .date(let value): !value.timeIntervalSinceReferenceDate.isFinite
    case .array(let elements): elements.contains(where: needsKind)
    case .composite(let members):
      members.contains { Kind(stringValue: $0.name) != nil || needsKind($0.value) }
    default: false
    }
  }
}

extension Double {
  /// The shortest string that is parsed to the same value; NaN includes its bits.
  package var exactText: String {
    isNaN ? "nan:\(String(bitPattern, radix: 16))" : description
  }

  /// Creates a number from ``exactText``.
  package init?(exactText text: String) {
    if text.hasPrefix("nan:") {
      guard let bits = UInt64(text.dropFirst(4), radix: 16) else { return nil }
      self.init(bitPattern: bits)
    } else {
      self.init(text)
    }
  }
}
