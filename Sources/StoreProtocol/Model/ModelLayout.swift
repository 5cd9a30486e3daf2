import Synchronization

/// What a model type looks like: its persisted properties in the order of their indices.
///
/// Layouts depend on the type alone, so that one for each type serves every container.
public final class ModelLayout: @unchecked Sendable {
  // Unchecked: key paths, metatypes and default closures are not marked Sendable. Nothing of a
  // layout changes after its initialiser, and its key paths capture nothing.

  /// One persisted property.
  public struct Property {
    /// The property's name.
    public let name: String
    /// The key path of the property.
    public let keyPath: AnyKeyPath
    /// The type of the property.
    package let valueType: Any.Type
    /// The macro's metadata.
    public let metadata: Schema.PropertyMetadata
    /// What the type says of a relationship, nil for an attribute.
    package let shape: RelationshipShape?
    /// The name of the entity that declares the property.
    public let declaringEntity: String
  }

  /// The model type.
  public let type: any PersistentModel.Type
  /// The name of the entity.
  public let entityName: String
  /// The layout of the model that this one inherits from.
  public let superlayout: ModelLayout?
  /// All persisted properties, inherited ones first.
  public let properties: [Property]
  /// The indices of those that are relationships.
  package let relationshipIndices: [Int]
  /// The indices and constraints that the class itself declares.
  package let lists: [any SchemaProperty]
  private let scope: PersistentIdentifier.Scope
  private let indexByPath: [AnyKeyPath: Int]
  private let indexByName: [String: Int]

  private init(_ type: any PersistentModel.Type) {
    self.type = type
    entityName = Self.name(of: type)
    scope = PersistentIdentifier.Scope(storeIdentifier: nil, entityName: entityName)
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
    let properties = (superlayout?.properties ?? []) + own
    self.properties = properties
    relationshipIndices = properties.indices.filter { properties[$0].shape != nil }
    indexByPath = Dictionary(
      properties.enumerated().map { ($1.keyPath, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    indexByName = Dictionary(
      properties.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The layout of a model type, made when first asked for.
  public static func of(_ type: any PersistentModel.Type) -> ModelLayout {
    let key = ObjectIdentifier(type)
    if let known = cache.withLock({ $0[key] }) { return known }
    let made = ModelLayout(type)
    return cache.withLock { layouts in
      if let known = layouts[key] { return known }
      layouts[key] = made
      return made
    }
  }

  private static let cache = Mutex<[ObjectIdentifier: ModelLayout]>([:])

  /// The index of the property of a key path, or nil where it is not a persisted one.
  public func index(of keyPath: AnyKeyPath) -> Int? {
    indexByPath[keyPath] ?? superlayout?.index(of: keyPath)
  }

  /// The index of the property of a name.
  public func index(named name: String) -> Int? { indexByName[name] }

  /// Whether the model is another, or inherits from it.
  package func inherits(from other: ModelLayout) -> Bool {
    self === other || superlayout?.inherits(from: other) == true
  }

  /// The layout of this model, or of one that inherits from it, by the name of its entity.
  ///
  /// A model that inherits is known when a schema was made of it.
  package func descendant(named name: String) -> ModelLayout? {
    if name == entityName { return self }
    return Self.cache.withLock { layouts in
      layouts.values.first { $0.entityName == name && $0.inherits(from: self) }
    }
  }

  /// The name of the property of a key path.
  public func propertyName(of keyPath: AnyKeyPath) -> String? {
    index(of: keyPath).map { properties[$0].name }
  }

  func temporaryScope(of model: any PersistentModel) -> PersistentIdentifier.Scope {
    let dynamic = Swift.type(of: model)
    return dynamic == type ? scope : ModelLayout.of(dynamic).scope
  }

  /// The scope of identifiers of objects of this type that were not saved.
  package var unsavedScope: PersistentIdentifier.Scope { scope }

  private static func name(of type: any PersistentModel.Type) -> String {
    String(describing: type)
  }

  // The one way to a superclass that exists on every platform.
  private static func superclass(of type: any PersistentModel.Type) -> (any PersistentModel.Type)? {
    _getSuperclass(type as any AnyObject.Type) as? any PersistentModel.Type
  }
}
