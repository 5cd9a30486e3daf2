/// A Sendable, Codable copy of one model's values at one moment.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identity of the model.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes the values of a model, and those of related ones where the snapshot holds them.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  )

  /// Returns a copy with another identity, in which remapped references are replaced.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// A value in a snapshot.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The keys of an encoded snapshot.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The key of the identity.
  case persistentIdentifier
  /// The key of a property, by its name.
  case modeledProperty(String)

  /// The name of a property, or a reserved word for the identity.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }

  public init?(stringValue: String) {
    self =
      stringValue == "persistentIdentifier"
      ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Snapshots have no number keys.
  public var intValue: Int? { nil }

  public init?(intValue: Int) { nil }
}

/// In-memory access to the values of one model by key path.
///
/// Objects keep their values in stored properties; this is a view of them for code that was
/// written for SwiftData, and for snapshots.
public protocol BackingData<Model> {
  /// The model type.
  associatedtype Model: PersistentModel
  /// The identity of the model.
  var persistentModelID: PersistentIdentifier? { get }
  /// The entity and the stored form of each value, in the order of the entity's properties.
  ///
  /// - Throws: `DataStoreError.invalidValue` when a value has no stored form.
  func storeValues() throws -> (names: PropertyNames, values: [StoreValue])
  /// Reads a property.
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value
  /// Writes a property where the key path can be written.
  func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
}
