import ModelRuntime
import StoreProtocol

/// Encodes and decodes the values of snapshots as the types of a schema's models.
struct ModelSnapshotCoding: SnapshotCoding {
  private let layouts: [String: ModelLayout]

  init(_ schema: Schema) {
    layouts = schema.modelTypes.mapValues { ModelLayout.of($0) }
  }

  func value(
    forKey key: Key,
    of entity: String,
    _ container: KeyedDecodingContainer<Key>
  ) throws -> StoreValue? {
    guard let property = property(key, of: entity) else { return nil }
    if try container.decodeNil(forKey: key) { return .null }
    if let shape = property.shape {
      return shape.isToMany
        ? .identifiers(try container.decode([PersistentIdentifier].self, forKey: key))
        : .identifier(try container.decode(PersistentIdentifier.self, forKey: key))
    }
    guard let type = Self.type(of: property) else { return nil }
    return try Self.decoded(type, forKey: key, container)
  }

  private static func decoded<V: Codable>(
    _ type: V.Type,
    forKey key: Key,
    _ container: KeyedDecodingContainer<Key>
  ) throws -> StoreValue {
    try PropertyForm.stored(container.decode(type, forKey: key))
  }

  func encode(
    _ value: StoreValue,
    forKey key: Key,
    of entity: String,
    _ container: inout KeyedEncodingContainer<Key>
  ) throws -> Bool {
    guard let property = property(key, of: entity) else { return false }
    switch value {
    case .null: try container.encodeNil(forKey: key)
    case .identifier(let identifier): try container.encode(identifier, forKey: key)
    case .identifiers(let identifiers): try container.encode(identifiers, forKey: key)
    default:
      guard let type = Self.type(of: property) else { return false }
      return try Self.encode(value, as: type, forKey: key, &container)
    }
    return true
  }

  private static func encode<V: Codable>(
    _ stored: StoreValue,
    as type: V.Type,
    forKey key: Key,
    _ container: inout KeyedEncodingContainer<Key>
  ) throws -> Bool {
    guard let value = try? PropertyForm.value(type, of: stored) else { return false }
    try container.encode(value, forKey: key)
    return true
  }

  private func property(_ key: Key, of entity: String) -> ModelLayout.Property? {
    guard let layout = layouts[entity], let index = layout.index(named: key.stringValue) else {
      return nil
    }
    return layout.properties[index]
  }

  /// Returns the type of an attribute's values without an optional.
  ///
  /// It is `nil` for optionals of optionals, whose Codable form does not distinguish all values.
  private static func type(of property: ModelLayout.Property) -> (any Codable.Type)? {
    guard let optional = property.valueType as? any OptionalType.Type else {
      return PropertyForm.codableType(of: property.valueType)
    }
    guard !(optional.wrapped is any OptionalType.Type) else { return nil }
    return PropertyForm.codableType(of: optional.wrapped)
  }
}
