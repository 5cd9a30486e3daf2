extension Schema {
  /// A relationship of an entity to one or many objects.
  ///
  /// It is a class, as in SwiftData; treat a relationship of a schema as immutable.
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible,
    @unchecked Sendable
  {
    // Unchecked: SwiftData's interface has mutable members. A schema does not read the
    // relationships that it hands out, so a program that changes one changes only its own copy.

    /// The relationship's name.
    public var name: String
    /// The name in the previous schema.
    public var originalName: String
    /// The key path of the property.
    public var keypath: AnyKeyPath?
    /// The options of the declaration.
    public var options: [Option]
    /// The Swift type of the value.
    public var valueType: any Any.Type
    /// The name of the destination entity.
    public var destination: String
    /// The effect of a deletion on the related objects.
    public var deleteRule: DeleteRule
    /// The name of the inverse property of the destination.
    public var inverseName: String?
    /// The key path of the inverse property.
    public var inverseKeyPath: AnyKeyPath?
    /// Whether the declaration has `inverse: nil`, which suppresses the search for an inverse.
    package let isOneWay: Bool
    /// The minimum number of related objects; 0 means no limit.
    public var minimumModelCount: Int?
    /// The maximum number of related objects; 0 means no limit.
    public var maximumModelCount: Int?
    /// A string that changes the schema when the declaration does not.
    public var hashModifier: String?

    /// Creates the arguments of `@Relationship`; the schema sets the rest.
    public init(
      _ options: Option...,
      deleteRule: DeleteRule = .nullify,
      minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0,
      originalName: String? = nil,
      inverse: AnyKeyPath? = Relationship.foundInverse,
      hashModifier: String? = nil
    ) {
      name = ""
      self.originalName = originalName ?? ""
      self.options = options
      valueType = Never.self
      destination = ""
      self.deleteRule = deleteRule
      isOneWay = inverse == nil
      inverseKeyPath = inverse == Relationship.foundInverse ? nil : inverse
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.hashModifier = hashModifier
    }

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, destination, deleteRule, inverseName
      case minimumModelCount, maximumModelCount, hashModifier
    }

    /// Decodes a relationship; its Swift type and key paths are then unknown.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      originalName = try container.decode(String.self, forKey: .originalName)
      options = try container.decode([Option].self, forKey: .options)
      destination = try container.decode(String.self, forKey: .destination)
      deleteRule = try container.decode(DeleteRule.self, forKey: .deleteRule)
      inverseName = try container.decodeIfPresent(String.self, forKey: .inverseName)
      minimumModelCount = try container.decodeIfPresent(Int.self, forKey: .minimumModelCount)
      maximumModelCount = try container.decodeIfPresent(Int.self, forKey: .maximumModelCount)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
      valueType = Never.self
      isOneWay = inverseName == nil
    }

    /// A placeholder for an inverse that the schema finds.
    @usableFromInline package static var foundInverse: AnyKeyPath { \Relationship.originalName }

    /// Encodes the relationship without its Swift type and key paths.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(originalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      try container.encode(destination, forKey: .destination)
      try container.encode(deleteRule, forKey: .deleteRule)
      try container.encodeIfPresent(inverseName, forKey: .inverseName)
      try container.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
      try container.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }

    /// Whether this is a to-one relationship.
    public var isToOneRelationship: Bool { RelationshipShape(valueType)?.isToMany == false }
    public var isUnique: Bool { options.contains(.unique) }

    public static func == (lhs: Relationship, rhs: Relationship) -> Bool {
      lhs.name == rhs.name && lhs.originalName == rhs.originalName
        && lhs.destination == rhs.destination && lhs.deleteRule == rhs.deleteRule
        && lhs.inverseName == rhs.inverseName && lhs.options == rhs.options
    }

    public var debugDescription: String { "\(name) -> \(destination)" }
  }
}

extension Schema.Relationship {
  /// The effect on related objects when an object is deleted.
  public enum DeleteRule: String, Codable, Sendable {
    /// None: a reference to the deleted object is then nil.
    case noAction
    /// The related objects lose their references to the deleted object.
    case nullify
    /// The related objects are deleted too.
    case cascade
    /// The deletion fails while there are related objects.
    case deny
  }

  /// An option that determines how a relationship is stored.
  public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
    private let name: String

    /// Related objects are unique: no two objects refer to the same one.
    public static var unique: Option { Option(name: "unique") }

    public var debugDescription: String { name }
  }
}

/// The form of a relationship, as declared by the Swift type of its property.
package struct RelationshipShape {
  package let destination: any PersistentModel.Type
  package let isToMany: Bool
  /// Whether the property may be absent.
  package let isOptional: Bool

  /// Creates the form for a type, or returns `nil` if it is not the type of a relationship.
  package init?(_ type: any Any.Type) {
    // The first check of a type's conformance searches the whole program, so checks that avoid
    // others come first.
    if AttributeType.scalars[ObjectIdentifier(type)] != nil { return nil }
    if type is any AnyObject.Type, let model = type as? any PersistentModel.Type {
      self.init(destination: model, isToMany: false, isOptional: false)
      return
    }
    let optional = type as? any OptionalType.Type
    if let inner = optional.flatMap({ RelationshipShape($0.wrapped) }) {
      self.init(destination: inner.destination, isToMany: inner.isToMany, isOptional: true)
    } else if let collection = type as? any RelationshipCollection.Type {
      self.init(
        destination: Self.element(of: collection),
        isToMany: true,
        isOptional: optional != nil
      )
    } else {
      return nil
    }
  }

  private init(destination: any PersistentModel.Type, isToMany: Bool, isOptional: Bool) {
    self.destination = destination
    self.isToMany = isToMany
    self.isOptional = isOptional
  }

  private static func element<C: RelationshipCollection>(
    of type: C.Type
  ) -> any PersistentModel.Type { C.PersistentElement.self }
}
