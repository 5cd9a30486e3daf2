import StoreProtocol

/// The Swift type of a value of the sample schema, as far as queries can tell types apart.
indirect enum QueryType: Hashable, Sendable {
  /// A value of an attribute type that is not structured; the truth of a condition.
  case scalar(AttributeType)
  /// An object of an entity or of one that inherits from it.
  case object(String)
  /// A value or nil; never an optional of an optional.
  case optional(QueryType)
  /// A list.
  case list(QueryType)
  /// A dictionary whose keys are texts.
  case dictionary(QueryType)
  /// A structure of ``SampleTypes/structures``.
  case structure(String)
  /// A Codable value of which nothing is known.
  case tree

  static let bool = QueryType.scalar(.bool)
  static let int = QueryType.scalar(.int64)
  static let text = QueryType.scalar(.string)

  /// The type without the optional.
  var unwrapped: QueryType {
    if case .optional(let wrapped) = self { return wrapped }
    return self
  }

  /// The type that has nil as well.
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

  /// The type of the elements of what is a sequence in Swift.
  var element: QueryType? {
    switch self {
    case .list(let element): element
    case .scalar(.string): .text
    case .scalar(.data): .scalar(.uint8)
    default: nil
    }
  }

  /// Whether there are known lists of such values: objects and whatever is made of plain values.
  var isListable: Bool {
    switch unwrapped {
    case .tree, .list(.object): false
    default: true
    }
  }

  /// Whether one can compute with the values.
  var isNumber: Bool {
    guard case .scalar(let type) = self else { return false }
    return type.isInteger || [.float, .double, .decimal].contains(type)
  }

  /// Whether an expression of another type may stand where this type is wanted.
  func accepts(_ other: QueryType) -> Bool { other == self || other.optional == self }
}
