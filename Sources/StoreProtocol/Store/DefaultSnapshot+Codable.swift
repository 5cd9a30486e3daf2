import Foundation

extension DefaultSnapshot {
  /// Decodes a snapshot that any coder encoded.
  ///
  /// While the engine calls a store that implements SwiftData's requirements, values are decoded as
  /// the types of the model's properties. Both encoded forms are accepted.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(
      PersistentIdentifier.self,
      forKey: .persistentIdentifier
    )
    persistentIdentifier = identifier
    let keys = container.allKeys
      .filter { $0 != .persistentIdentifier }
      .sorted { $0.stringValue < $1.stringValue }
    names = PropertyNames(keys.map(\.stringValue))
    let coding = TypedSnapshotCoding.current
    values = try keys.map { key in
      if let coding, !Self.hasKind(key, in: container),
        let typed = try coding.value(forKey: key, of: identifier.entityName, container)
      {
        return typed
      }
      return try container.decode(CodedStoreValue.self, forKey: key).value
    }
  }

  private static func hasKind(
    _ key: DataStoreSnapshotCodingKey,
    in container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>
  ) -> Bool {
    // A store's own decoder may know the types of its properties alone, and refuse the probe.
    (try? container.decode(KindProbe.self, forKey: key))?.isFound ?? false
  }

  /// Encodes the identifier and one member for each property, including nil values.
  ///
  /// While the engine calls a store that implements SwiftData's requirements, each value is encoded
  /// as in SwiftData: an attribute in its own Codable form, a to-one relationship as an identifier or
  /// nil, and a to-many relationship as a list of identifiers. Otherwise, and for values that would
  /// not be decoded exactly, such as NaN, the value is encoded with its kind, so that it is decoded
  /// exactly without a schema.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    let coding = TypedSnapshotCoding.current
    for (name, value) in zip(names.names, values) {
      let key = DataStoreSnapshotCodingKey.modeledProperty(name)
      if let coding, !CodedStoreValue.needsKind(value),
        try coding.encode(value, forKey: key, of: persistentIdentifier.entityName, &container)
      {
        continue
      }
      try container.encode(CodedStoreValue(value: value), forKey: key)
    }
  }
}

/// Encodes and decodes the values of snapshots as the types of the model's properties.
package protocol SnapshotCoding: Sendable {
  typealias Key = DataStoreSnapshotCodingKey

  /// Returns a decoded value, or `nil` if the property's type is unknown.
  func value(
    forKey key: Key,
    of entity: String,
    _ container: KeyedDecodingContainer<Key>
  ) throws -> StoreValue?

  /// Encodes a value, or returns `false` if the property's type is unknown.
  func encode(
    _ value: StoreValue,
    forKey key: Key,
    of entity: String,
    _ container: inout KeyedEncodingContainer<Key>
  ) throws -> Bool
}

/// The typed coding of the snapshots of the store that the engine calls.
package enum TypedSnapshotCoding {
  /// The coding, or `nil` outside of such calls.
  @TaskLocal package static var current: (any SnapshotCoding)?
}

/// Detects values that were encoded with their kind.
private struct KindProbe: Decodable {
  let isFound: Bool

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: CodedStoreValue.Kind.self) {
      isFound = !container.allKeys.isEmpty
    } else if var elements = try? decoder.unkeyedContainer() {
      var isFound = false
      while !isFound, !elements.isAtEnd {
        isFound = try elements.decode(KindProbe.self).isFound
      }
      self.isFound = isFound
    } else {
      isFound = false
    }
  }
}
