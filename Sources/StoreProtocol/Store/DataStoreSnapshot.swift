/// A Sendable, Codable copy of one model's values at one moment.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identifier of the model.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Creates a snapshot of a model's values, and of related models if the snapshot contains them.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  )

  /// Returns a copy with another identifier, in which remapped references are replaced.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// A value in a snapshot.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The keys of an encoded snapshot.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The key of the identifier.
  case persistentIdentifier
  /// The key of a property, by its name.
  case modeledProperty(String)

  /// The name of a property, or a reserved word for the identifier.
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

  /// Always `nil`: snapshots have no integer keys.
  public var intValue: Int? { nil }

  public init?(intValue: Int) { nil }
}

/// In-memory access to the values of one model by key path.
///
/// Objects keep their values in stored properties; this is a view of them for code written for
/// SwiftData, and for snapshots.
public protocol BackingData<Model> {
  /// The model type.
  associatedtype Model: PersistentModel
  /// The identifier of the model.
  var persistentModelID: PersistentIdentifier? { get }
  /// Returns the stored form of each value.
  ///
  /// - Throws: `DataStoreError.invalidValue` if a value has no stored form.
  func record() throws -> DefaultSnapshot
  /// Returns the value of a property.
  ///
  /// When a snapshot is created for a save, a relationship has objects of the saving context. They
  /// are read from the store if they are not registered. An object without a row has its identifier
  /// and placeholder values.
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value
  /// Sets the value of a property, if the key path is writable.
  func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
}
