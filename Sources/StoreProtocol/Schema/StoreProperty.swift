/// A property as stores see it: an attribute, or a relationship to one or to many.
public struct StoreProperty: Codable, Hashable, Sendable {
  /// What kind of property this is.
  public enum Kind: Codable, Hashable, Sendable {
    /// A value of a type.
    case attribute(AttributeType)
    /// A reference to one object.
    case toOne(StoreRelationship)
    /// References to many objects, in order.
    case toMany(StoreRelationship)
  }

  /// The property's name, unique in its entity.
  public let name: String
  /// The name in the schema before, for a rename.
  public let originalName: String
  /// What kind of property this is.
  public let kind: Kind
  /// Whether the value may be absent.
  public let isOptional: Bool
  /// Whether no two objects of the entity have the same value.
  public let isUnique: Bool
  /// The names of the attribute's other options, such as `preserveValueOnDeletion`.
  public let options: [String]
  /// The initial value of the declaration, for rows that were stored before the property existed.
  ///
  /// It is not stored with the schema and takes no part in comparisons: a declaration such as
  /// `UUID()` gives another value each time.
  public private(set) var defaultValue: StoreValue?

  private enum CodingKeys: String, CodingKey {
    case name, originalName, kind, isOptional, isUnique, options
  }

  /// Creates a property.
  public init(
    name: String,
    originalName: String? = nil,
    kind: Kind,
    isOptional: Bool = false,
    isUnique: Bool = false,
    options: [String] = [],
    defaultValue: StoreValue? = nil
  ) {
    self.name = name
    self.originalName = originalName ?? name
    self.kind = kind
    self.isOptional = isOptional
    self.isUnique = isUnique
    self.options = options
    self.defaultValue = defaultValue
  }

  /// Compares all but the default value.
  public static func == (lhs: StoreProperty, rhs: StoreProperty) -> Bool {
    lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.kind == rhs.kind
      && lhs.isOptional == rhs.isOptional && lhs.isUnique == rhs.isUnique
      && lhs.options == rhs.options
  }

  /// Hashes name and kind.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(kind)
  }

  /// The attribute's type, or nil for a relationship.
  public var attributeType: AttributeType? {
    if case .attribute(let type) = kind { return type }
    return nil
  }

  /// The relationship, or nil for an attribute.
  public var relationship: StoreRelationship? {
    switch kind {
    case .attribute: nil
    case .toOne(let relationship), .toMany(let relationship): relationship
    }
  }

  /// Whether this is a relationship to one object.
  public var isToOne: Bool {
    if case .toOne = kind { return true }
    return false
  }

  /// Whether this is a relationship to many objects.
  public var isToMany: Bool {
    if case .toMany = kind { return true }
    return false
  }

  /// Whether changes are tracked but never stored.
  public var isEphemeral: Bool { options.contains("ephemeral") }

  /// Whether the value may be kept beside the store instead of in the row.
  public var isExternal: Bool { options.contains("externalStorage") }
}

/// The ends and rules of a relationship.
public struct StoreRelationship: Codable, Hashable, Sendable {
  /// The name of the entity at the other end; rows of its subentities count as well.
  public let destination: String
  /// The name of the property at the other end that says the same thing, if there is one.
  public let inverse: String?
  /// Whether the inverse is a relationship to one object.
  public let inverseIsToOne: Bool
  /// The name of what happens to the other end when an object is deleted.
  public let deleteRule: String

  /// Creates a relationship.
  public init(
    destination: String,
    inverse: String? = nil,
    inverseIsToOne: Bool = false,
    deleteRule: String = "nullify"
  ) {
    self.destination = destination
    self.inverse = inverse
    self.inverseIsToOne = inverseIsToOne
    self.deleteRule = deleteRule
  }
}

extension StoreProperty {
  /// Whether the rows at the other end say who belongs to this to-many relationship.
  ///
  /// Then the members of an object's relationship are the rows whose inverse names it; the value
  /// stored at this end only tells their order. See `RecordStore`.
  public var isDerivedToMany: Bool {
    guard case .toMany(let relationship) = kind else { return false }
    return relationship.inverse != nil && relationship.inverseIsToOne
  }

  /// Whether the rows at both ends say who belongs together: one to one, and many to many.
  package var isKeptByBothEnds: Bool {
    switch kind {
    case .toOne(let relationship): relationship.inverse != nil && relationship.inverseIsToOne
    case .toMany(let relationship): relationship.inverse != nil && !relationship.inverseIsToOne
    case .attribute: false
    }
  }
}
