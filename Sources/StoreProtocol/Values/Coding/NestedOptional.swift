/// An optional whose value can be encoded.
protocol EncodableOptional {
  /// The stored form: null for nil.
  func stored(at path: [any CodingKey]) throws -> StoreValue
}

// Through generics and not through casts, which would look through optionals of optionals.
extension Optional: EncodableOptional where Wrapped: Encodable {
  func stored(at path: [any CodingKey]) throws -> StoreValue {
    guard let wrapped = self else { return .null }
    let inner = try StoreValueEncoder.stored(wrapped, at: path + [PlainKey.ofValue])
    return Wrapped.self is any OptionalType.Type ? NestedOptionalForm.holding(inner) : inner
  }
}

/// An optional of an optional, which Codable's containers cannot tell from a plain one.
///
/// Where such an optional holds nil, or another one that does, it is stored as a composite with
/// the one member `some`; in all other cases as the value that it holds.
protocol NestedOptional {
  /// Reads what the composite holds.
  static func holding(_ inner: StoreValue, at path: [any CodingKey]) throws -> Self
}

extension Optional: NestedOptional where Wrapped: ExpressibleByNilLiteral & Decodable {
  static func holding(_ inner: StoreValue, at path: [any CodingKey]) throws -> Wrapped? {
    .some(try StoreValueDecoder.value(Wrapped.self, from: inner, at: path))
  }
}

/// The composite that stands for an optional which holds nil.
enum NestedOptionalForm {
  /// The stored form of an optional that holds an optional with a stored form of its own.
  static func holding(_ inner: StoreValue) -> StoreValue {
    guard inner.isNull || Self.inner(of: inner) != nil else { return inner }
    return .composite([StoreValue.Member("some", inner)])
  }

  /// What the composite holds, nil for a value that is no such composite.
  static func inner(of stored: StoreValue) -> StoreValue? {
    guard case .composite(let members) = stored, members.count == 1, members[0].name == "some"
    else { return nil }
    let inner = members[0].value
    return inner.isNull || Self.inner(of: inner) != nil ? inner : nil
  }
}
