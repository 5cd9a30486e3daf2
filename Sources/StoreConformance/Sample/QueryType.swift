import StoreProtocol

/// The Swift type of a value of the sample schema, as far as queries distinguish types.
indirect enum QueryType: Hashable, Sendable {
  /// A value of an attribute type that is not structured, including the Boolean of a condition.
  case scalar(AttributeType)
  /// An object of an entity or its subentities.
  case object(String)
  /// A value or nil; never an optional of an optional.
  case optional(QueryType)
  case list(QueryType)
  /// A dictionary whose keys are strings.
  case dictionary(QueryType)
  /// A structure of ``SampleTypes/structures``.
  case structure(String)
  /// A Codable value of unknown structure.
  case tree

  static let bool = QueryType.scalar(.bool)
  static let int = QueryType.scalar(.int64)
  static let text = QueryType.scalar(.string)

  /// The type without the optional.
  var unwrapped: QueryType {
    if case .optional(let wrapped) = self { return wrapped }
    return self
  }

  var optional: QueryType { .optional(unwrapped) }

  var isOptional: Bool { self != unwrapped }

  /// The attribute type of a scalar, optional or not.
  var attributeType: AttributeType? {
    if case .scalar(let type) = unwrapped { return type }
    return nil
  }

  /// The entity of an object, optional or not.
  var entity: String? {
    if case .object(let name) = unwrapped { return name }
    return nil
  }

  /// The element type, if the type is a sequence in Swift.
  var element: QueryType? {
    switch self {
    case .list(let element): element
    case .scalar(.string): .text
    case .scalar(.data): .scalar(.uint8)
    default: nil
    }
  }

  /// A Boolean value that indicates whether there are constant lists of such values: objects and
  /// plain values.
  var isListable: Bool {
    switch unwrapped {
    case .tree, .list(.object): false
    default: true
    }
  }

  /// A Boolean value that indicates whether arithmetic applies to the values.
  var isNumber: Bool {
    if case .scalar(let type) = self { type.isNumber } else { false }
  }

  /// Returns whether an expression of another type can be used for this type.
  func accepts(_ other: QueryType) -> Bool { other == self || other.optional == self }
}
