/// An optional whose value can be encoded.
protocol EncodableOptional {
  /// Returns the stored form: null for nil.
  func stored(at path: [any CodingKey]) throws -> StoreValue
}

// With generics instead of casts, which would flatten nested optionals.
extension Optional: EncodableOptional where Wrapped: Encodable {
  func stored(at path: [any CodingKey]) throws -> StoreValue {
    guard let wrapped = self else { return .null }
    let inner = try StoreValueEncoder.stored(wrapped, at: path + [PlainKey.ofValue])
    return Wrapped.self is any OptionalType.Type ? NestedOptionalForm.holding(inner) : inner
  }
}

/// An optional of an optional, which Codable's containers do not distinguish from a plain one.
///
/// If such an optional contains nil, or another nested optional that does, it is stored as a
/// composite with the single member `some`. Otherwise it is stored as its value.
protocol NestedOptional {
  /// Decodes the content of the composite.
  static func holding(_ inner: StoreValue, at path: [any CodingKey]) throws -> Self
}

extension Optional: NestedOptional where Wrapped: ExpressibleByNilLiteral & Decodable {
  static func holding(_ inner: StoreValue, at path: [any CodingKey]) throws -> Wrapped? {
    .some(try StoreValueDecoder.value(Wrapped.self, from: inner, at: path))
  }
}

/// The composite that represents an optional which contains nil.
enum NestedOptionalForm {
  /// Returns the stored form of an optional that contains an optional with its own stored form.
  static func holding(_ inner: StoreValue) -> StoreValue {
    guard inner.isNull || Self.inner(of: inner) != nil else { return inner }
    return .composite([StoreValue.Member("some", inner)])
  }

  /// Returns the content of the composite, or `nil` for any other value.
  static func inner(of stored: StoreValue) -> StoreValue? {
    guard case .composite(let members) = stored, members.count == 1, members[0].name == "some"
    else { return nil }
    let inner = members[0].value
    return inner.isNull || Self.inner(of: inner) != nil ? inner : nil
  }
}
