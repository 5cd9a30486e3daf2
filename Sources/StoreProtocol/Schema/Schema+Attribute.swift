import Foundation

extension Schema {
  /// An attribute of an entity: a stored value of a type.
  ///
  /// A class, as in SwiftData; treat an attribute of a schema as a constant.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    // Unchecked: SwiftData's interface has mutable members. A schema hands out attributes that it
    // no longer reads, so a program that changes one changes only its own copy of the facts.

    /// The attribute's name.
    public var name: String
    /// The name in the schema before.
    public var originalName: String
    /// The options that the declaration gives.
    public var options: [Option]
    /// The Swift type of its values.
    public var valueType: any Any.Type
    /// The initial value of the declaration.
    public var defaultValue: Any?
    /// Whether the value may be absent.
    public var isOptional: Bool
    /// A text that makes the schema differ when the declaration does not.
    public var hashModifier: String?

    /// Creates the arguments of `@Attribute`; name and type are filled in by the schema.
    public init(
      _ options: Option...,
      originalName: String? = nil,
      hashModifier: String? = nil
    ) {
      name = ""
      self.originalName = originalName ?? ""
      self.options = options
      valueType = Never.self
      isOptional = false
      self.hashModifier = hashModifier
    }

    /// Creates an attribute.
    public init(
      name: String,
      originalName: String? = nil,
      options: [Option] = [],
      valueType: any Any.Type,
      defaultValue: Any? = nil,
      hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? name
      self.options = options
      self.valueType = valueType
      self.defaultValue = defaultValue
      isOptional = valueType is any OptionalType.Type
      self.hashModifier = hashModifier
    }

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, type, isOptional, hashModifier
    }

    /// Reads an attribute; its type is then known only as stores see it.
    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      originalName = try container.decode(String.self, forKey: .originalName)
      options = try container.decode([Option].self, forKey: .options)
      valueType = try container.decode(AttributeType.self, forKey: .type).swiftType
      isOptional = try container.decode(Bool.self, forKey: .isOptional)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
    }

    /// Writes the attribute.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(originalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      try container.encode(AttributeType(valueType), forKey: .type)
      try container.encode(isOptional, forKey: .isOptional)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }

    public var isAttribute: Bool { true }
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether values go through a value transformer.
    public var isTransformable: Bool { options.contains { $0.name == "transformable" } }

    public static func == (lhs: Attribute, rhs: Attribute) -> Bool {
      lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.options == rhs.options
        && lhs.valueType == rhs.valueType && lhs.hashModifier == rhs.hashModifier
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    public var debugDescription: String { "\(name): \(valueType)" }
  }

  /// An attribute whose value has named members, as a Codable structure has.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    // Unchecked for the reason that its superclass gives.

    /// The attributes that make up the value.
    public var properties: [Attribute] = []
  }
}

extension Schema.Attribute {
  /// A choice in how an attribute is stored.
  public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
    /// The option's name.
    package let name: String
    /// The option's argument.
    package let argument: String?

    private init(_ name: String, argument: String? = nil) {
      self.name = name
      self.argument = argument
    }

    /// No two objects have the same value; saving a second one updates the first.
    public static var unique: Option { Option("unique") }
    /// The value goes through a registered transformer of this name.
    public static func transformable(by transformerName: String) -> Option {
      Option("transformable", argument: transformerName)
    }
    /// The value may be kept beside the store instead of in it.
    public static var externalStorage: Option { Option("externalStorage") }
    /// The value may be encrypted by Apple's cloud; has no effect here.
    public static var allowsCloudEncryption: Option { Option("allowsCloudEncryption") }
    /// The value stays in the history after the object is deleted.
    public static var preserveValueOnDeletion: Option { Option("preserveValueOnDeletion") }
    /// Changes are tracked but never stored.
    public static var ephemeral: Option { Option("ephemeral") }
    /// The value is indexed by Apple's Spotlight; has no effect here.
    public static var spotlight: Option { Option("spotlight") }
    /// Searches for words in the value, as `TextSearch` asks for, may be answered by an index.
    ///
    /// Without the option they have the same answers and take longer. It has no effect on attributes
    /// that are no texts, and in stores that keep no index of words.
    public static var fullText: Option { Option("fullText") }
    /// The value is stored as an opaque encoded whole, which predicates cannot look into.
    public static var codable: Option { Option("codable") }

    public var debugDescription: String { argument.map { "\(name)(\($0))" } ?? name }
  }
}

extension AttributeType {
  /// A Swift type that has this stored type.
  var swiftType: any Any.Type {
    switch self {
    case .bool: Bool.self
    case .int8: Int8.self
    case .int16: Int16.self
    case .int32: Int32.self
    case .int64: Int64.self
    case .uint8: UInt8.self
    case .uint16: UInt16.self
    case .uint32: UInt32.self
    case .uint64: UInt64.self
    case .float: Float.self
    case .double: Double.self
    case .decimal: Foundation.Decimal.self
    case .string: String.self
    case .date: Foundation.Date.self
    case .data: Foundation.Data.self
    case .uuid: Foundation.UUID.self
    case .url: Foundation.URL.self
    case .codable: Never.self
    }
  }
}
