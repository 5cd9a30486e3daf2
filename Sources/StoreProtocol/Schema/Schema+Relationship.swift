extension Schema {
  /// A relationship of an entity to one or many objects.
  ///
  /// A class, as in SwiftData; treat a relationship of a schema as a constant.
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible,
    @unchecked Sendable
  {
    // Unchecked: SwiftData's interface has mutable members. A schema hands out relationships that
    // it no longer reads, so a program that changes one changes only its own copy of the facts.

    /// The relationship's name.
    public var name: String
    /// The name in the schema before.
    public var originalName: String
    /// The key path of the property.
    public var keypath: AnyKeyPath?
    /// The options that the declaration gives.
    public var options: [Option]
    /// The Swift type of its value.
    public var valueType: any Any.Type
    /// The name of the entity at the other end.
    public var destination: String
    /// What happens to the other end when an object is deleted.
    public var deleteRule: DeleteRule
    /// The name of the property at the other end that says the same thing.
    public var inverseName: String?
    /// The key path of that property.
    public var inverseKeyPath: AnyKeyPath?
    /// Whether the declaration says `inverse: nil`: no property at the other end is looked for.
    package let isOneWay: Bool
    /// The smallest number of objects at the other end; 0 is no bound.
    public var minimumModelCount: Int?
    /// The largest number of objects at the other end; 0 is no bound.
    public var maximumModelCount: Int?
    /// A text that makes the schema differ when the declaration does not.
    public var hashModifier: String?

    /// Creates the arguments of `@Relationship`; the schema fills in the rest.
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

    /// Reads a relationship; its Swift type and key paths are then unknown.
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

    /// Stands for an inverse that the declaration leaves to the schema to find.
    public static var foundInverse: AnyKeyPath { \Relationship.originalName }

    /// Writes the relationship without its Swift type and key paths.
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

    /// Whether the relationship leads to one object.
    public var isToOneRelationship: Bool { RelationshipShape(valueType)?.isToMany == false }
    public var isRelationship: Bool { true }
    public var isUnique: Bool { options.contains(.unique) }

    public static func == (lhs: Relationship, rhs: Relationship) -> Bool {
      lhs.name == rhs.name && lhs.originalName == rhs.originalName
        && lhs.destination == rhs.destination && lhs.deleteRule == rhs.deleteRule
        && lhs.inverseName == rhs.inverseName && lhs.options == rhs.options
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    public var debugDescription: String { "\(name) -> \(destination)" }
  }
}

extension Schema.Relationship {
  /// What happens to the other end of a relationship when an object is deleted.
  public enum DeleteRule: String, Codable, Sendable {
    /// Nothing: a reference to the deleted object reads as absent.
    case noAction
    /// The other end forgets the deleted object.
    case nullify
    /// The other end is deleted too.
    case cascade
    /// The deletion fails while there is another end.
    case deny
  }

  /// A choice in how a relationship is stored.
  public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
    private let name: String

    /// No two objects have the same object at the other end.
    public static var unique: Option { Option(name: "unique") }

    public var debugDescription: String { name }
  }
}

/// What the Swift type of a property says about a relationship.
package struct RelationshipShape {
  /// The model type at the other end.
  package let destination: any PersistentModel.Type
  /// Whether the property holds many.
  package let isToMany: Bool
  /// Whether the property may be absent.
  package let isOptional: Bool

  /// Reads a type, or is nil for one that is not a relationship's.
  package init?(_ type: any Any.Type) {
    if let model = type as? any PersistentModel.Type {
      self.init(destination: model, isToMany: false, isOptional: false)
    } else if let collection = type as? any RelationshipCollection.Type {
      self.init(
        destination: Self.element(of: collection),
        isToMany: true,
        isOptional: type is any OptionalType.Type
      )
    } else if let optional = type as? any OptionalType.Type,
      let inner = RelationshipShape(optional.wrapped)
    {
      self.init(destination: inner.destination, isToMany: inner.isToMany, isOptional: true)
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
