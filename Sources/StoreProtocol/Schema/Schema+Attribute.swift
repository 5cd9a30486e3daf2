import Foundation

extension Schema {
  /// An attribute of an entity: a stored value of a type.
  ///
  /// It is a class, as in SwiftData; treat an attribute of a schema as immutable.
  // Unchecked: SwiftData's interface has mutable members. A schema does not read the attributes
  // that it hands out, so a program that changes one changes only its own copy.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The attribute's name.
    public var name: String
    /// The name in the previous schema.
    public var originalName: String
    /// The options of the declaration.
    public var options: [Option]
    /// The Swift type of the values.
    public var valueType: any Any.Type
    /// The initial value in the declaration.
    public var defaultValue: Any?
    /// Whether the value may be absent.
    public var isOptional: Bool
    /// A string that changes the schema when the declaration does not.
    public var hashModifier: String?

    /// Creates the arguments of `@Attribute`; the schema sets the name and the type.
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

    /// Decodes an attribute; its type is then known only as stores see it.
    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      originalName = try container.decode(String.self, forKey: .originalName)
      options = try container.decode([Option].self, forKey: .options)
      valueType = try container.decode(AttributeType.self, forKey: .type).swiftType
      isOptional = try container.decode(Bool.self, forKey: .isOptional)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
    }

    /// Encodes the attribute.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(originalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      try container.encode(AttributeType(valueType), forKey: .type)
      try container.encode(isOptional, forKey: .isOptional)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }

    public var isUnique: Bool { options.contains(.unique) }
    /// Whether values are converted by a value transformer.
    public var isTransformable: Bool { options.contains { $0.name == "transformable" } }

    /// Whether values are stored as opaque encoded data.
    public var isCodable: Bool { options.contains(.codable) }

    public static func == (lhs: Attribute, rhs: Attribute) -> Bool {
      lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.options == rhs.options
        && lhs.valueType == rhs.valueType && lhs.hashModifier == rhs.hashModifier
    }

    public var debugDescription: String { "\(name): \(valueType)" }
  }

  /// An attribute whose value has named members, like a Codable structure.
  // Unchecked for the same reason as its superclass.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The attributes of which the value consists.
    public var properties: [Attribute] = []
  }
}

extension Schema.Attribute {
  /// An option that determines how an attribute is stored.
  public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
    /// The option's name.
    package let name: String
    /// The option's argument.
    package let argument: String?

    private init(_ name: String, argument: String? = nil) {
      self.name = name
      self.argument = argument
    }

    /// Values are unique: a save of a second object with the same value updates the first.
    public static var unique: Option { Option("unique") }
    /// Values are converted by the registered transformer of this name.
    public static func transformable(by transformerName: String) -> Option {
      Option("transformable", argument: transformerName)
    }
    /// The value may be stored beside the store instead of in it.
    public static var externalStorage: Option { Option("externalStorage") }
    /// The value may be encrypted by Apple's cloud; it has no effect here.
    public static var allowsCloudEncryption: Option { Option("allowsCloudEncryption") }
    /// The history keeps the value after the object is deleted.
    public static var preserveValueOnDeletion: Option { Option("preserveValueOnDeletion") }
    /// Changes are tracked but never stored.
    public static var ephemeral: Option { Option("ephemeral") }
    /// The value is indexed by Apple's Spotlight; it has no effect here.
    public static var spotlight: Option { Option("spotlight") }
    /// Searches for words in the value, as with `TextSearch`, may use an index.
    ///
    /// Without the option, they have the same results and take longer. The option has no effect on
    /// attributes that are not strings, and in stores without a word index.
    public static var fullText: Option { Option("fullText") }
    /// The value is stored as opaque encoded data, which predicates cannot access.
    public static var codable: Option { Option("codable") }

    public var debugDescription: String { argument.map { "\(name)(\($0))" } ?? name }
  }
}

extension AttributeType {
  /// A Swift type with this stored type.
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
