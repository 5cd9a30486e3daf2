/// An attribute or a relationship in a schema, or a list of indexes or constraints.
public protocol SchemaProperty: Codable, Hashable {
  /// The property's name.
  var name: String { get set }
  /// The name in the previous schema.
  var originalName: String { get set }
  /// The Swift type of the values.
  var valueType: any Any.Type { get set }
  /// Whether this is an attribute.
  var isAttribute: Bool { get }
  /// Whether this is a relationship.
  var isRelationship: Bool { get }
  /// Whether this is not stored.
  var isTransient: Bool { get }
  /// Whether the value may be absent.
  var isOptional: Bool { get }
  /// Whether the values are unique.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  public var isAttribute: Bool { self is Schema.Attribute }
  public var isRelationship: Bool { self is Schema.Relationship }
  public var isTransient: Bool { false }
  public var isOptional: Bool { valueType is any OptionalType.Type }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Schema {
  /// The macro's metadata of one property of a model.
  public struct PropertyMetadata {
    /// The property's name, or a reserved name for indexes and constraints.
    package let name: String
    /// The key path of the property.
    package let keypath: AnyKeyPath
    /// A closure that creates the initial value in the declaration, or `nil` if there is none.
    package let makeDefault: (() -> Any)?
    /// The arguments of the property's attribute macro, or `nil` if it has none.
    package let metadata: (any SchemaProperty)?

    /// Creates metadata with a value that all new objects share.
    public init(
      name: String,
      keypath: AnyKeyPath,
      defaultValue: Any? = nil,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      makeDefault = defaultValue.map { value in { value } }
      self.metadata = metadata
    }

    /// Creates metadata with a closure that creates the initial value.
    public init(
      name: String,
      keypath: AnyKeyPath,
      default makeDefault: (() -> Any)?,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.makeDefault = makeDefault
      self.metadata = metadata
    }
  }
}
