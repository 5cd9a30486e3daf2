import StoreProtocol
import Synchronization

/// The layout of a model type: its properties in the order of their indices.
///
/// The stored properties come first, inherited ones before own ones, as in the entity of the type.
/// The ephemeral attributes of the class and its superclasses follow. An index of a stored property
/// is therefore the same in a row, in an object and in an object of a subclass, and nothing below
/// knows of ephemeral attributes: ``StoreEntity`` leaves them out. Their own indices differ between a
/// class and its subclass, so that generated code asks the layout of the object for them.
///
/// A layout depends on the type alone, so all containers share one layout for each type.
// Unchecked: key paths, metatypes and default closures are not marked Sendable. A layout is
// immutable after its initializer, and its key paths capture nothing.
public final class ModelLayout: @unchecked Sendable {
  /// One property.
  public struct Property {
    /// The property's name.
    public let name: String
    /// The key path of the property.
    public let keyPath: AnyKeyPath
    /// The type of the property.
    package let valueType: Any.Type
    /// The macro's metadata.
    public let metadata: Schema.PropertyMetadata
    /// The relationship that the type declares, or `nil` for an attribute.
    package let shape: RelationshipShape?
    /// The name of the entity that declares the property.
    public let declaringEntity: String

    /// Whether the property is an attribute that no store keeps.
    var isEphemeral: Bool { shape == nil && hasEphemeralOption }

    var hasEphemeralOption: Bool {
      (metadata.metadata as? Schema.Attribute)?.options.contains(.ephemeral) == true
    }
  }

  /// The model type.
  public let type: any PersistentModel.Type
  /// The name of the entity.
  public let entityName: String
  /// The layout of the superclass, or `nil` if it is not a model.
  public let superlayout: ModelLayout?
  /// The stored properties, inherited ones first, and the ephemeral attributes after them.
  public let properties: [Property]
  /// The number of stored properties.
  package let storedCount: Int
  /// The stored properties.
  package var storedProperties: ArraySlice<Property> { properties.prefix(storedCount) }
  package let relationshipIndices: [Int]
  /// Whether the property of each index is a to-many relationship.
  package let isToMany: [Bool]
  /// The indexes and constraints that the class itself declares.
  package let lists: [any SchemaProperty]
  /// The scope of identifiers of unsaved objects of this type.
  package let unsavedScope: PersistentIdentifier.Scope
  private let indexByPath: [AnyKeyPath: Int]
  private let indexByName: [String: Int]

  private init(_ type: any PersistentModel.Type) {
    self.type = type
    // The text of `String(describing:)`, which checks first whether the type describes itself.
    entityName = _typeName(type, qualified: false)
    unsavedScope = PersistentIdentifier.Scope(storeIdentifier: nil, entityName: entityName)
    superlayout = Self.superclass(of: type).map(Self.of)
    let metadata = type.schemaMetadata
    let declared = entityName
    let own = metadata.filter { !($0.metadata is any PropertyNameLists) }.map {
      Property(
        name: $0.name,
        keyPath: $0.keypath,
        valueType: Swift.type(of: $0.keypath).valueType,
        metadata: $0,
        shape: RelationshipShape(Swift.type(of: $0.keypath).valueType),
        declaringEntity: declared
      )
    }
    lists = metadata.compactMap(\.metadata).filter { $0 is any PropertyNameLists }
    let all = (superlayout?.properties ?? []) + own
    let ephemeral = all.filter(\.isEphemeral)
    storedCount = all.count - ephemeral.count
    let properties = ephemeral.isEmpty ? all : all.filter { !$0.isEphemeral } + ephemeral
    self.properties = properties
    relationshipIndices = properties.indices.filter { properties[$0].shape != nil }
    isToMany = properties.map { $0.shape?.isToMany == true }
    indexByPath = Dictionary(firstOf: properties.enumerated().map { ($1.keyPath, $0) })
    indexByName = Dictionary(firstOf: properties.enumerated().map { ($1.name, $0) })
  }

  /// Returns the layout of a model type, created on first use.
  public static func of(_ type: any PersistentModel.Type) -> ModelLayout {
    let key = ObjectIdentifier(type)
    if let cached = cache.withLock({ $0[key] }) { return cached }
    let made = ModelLayout(type)
    return cache.withLock { layouts in
      if let cached = layouts[key] { return cached }
      layouts[key] = made
      return made
    }
  }

  private static let cache = Mutex<[ObjectIdentifier: ModelLayout]>([:])

  /// Returns the index of the property at a key path, or `nil` if the property is not persisted.
  public func index(of keyPath: AnyKeyPath) -> Int? { indexByPath[keyPath] }

  /// Returns the index of the property with a name.
  public func index(named name: String) -> Int? { indexByName[name] }

  /// Whether the model is the other model, or inherits from it.
  package func inherits(from other: ModelLayout) -> Bool {
    self === other || superlayout?.inherits(from: other) == true
  }

  /// Returns the layout of this model or of a subclass, by the name of its entity.
  ///
  /// A subclass is registered when a schema is created from it.
  package func descendant(named name: String) -> ModelLayout? {
    if name == entityName { return self }
    return Self.cache.withLock { layouts in
      layouts.values.first { $0.entityName == name && $0.inherits(from: self) }
    }
  }

  /// Returns the name of the property at a key path.
  public func propertyName(of keyPath: AnyKeyPath) -> String? {
    index(of: keyPath).map { properties[$0].name }
  }

  func temporaryScope(of model: any PersistentModel) -> PersistentIdentifier.Scope {
    let dynamic = Swift.type(of: model)
    return dynamic == type ? unsavedScope : ModelLayout.of(dynamic).unsavedScope
  }

  // The only access to a superclass that exists on every platform.
  private static func superclass(of type: any PersistentModel.Type) -> (any PersistentModel.Type)? {
    _getSuperclass(type as any AnyObject.Type) as? any PersistentModel.Type
  }
}
