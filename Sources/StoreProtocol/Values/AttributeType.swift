import Foundation

/// The type of an attribute as stores see it.
///
/// An enumeration with raw values has the type of its raw value. Any other Codable type is
/// ``codable`` and stored as a structured value.
public enum AttributeType: String, Codable, Hashable, Sendable {
  /// A Boolean.
  case bool
  /// A signed integer of the named width; `Int` is `int64`.
  case int8, int16, int32, int64
  /// An unsigned integer of the named width; `UInt` is `uint64`.
  case uint8, uint16, uint32, uint64
  /// A floating-point number.
  case float, double
  /// A decimal number of up to 38 digits.
  case decimal
  /// A string or a single character.
  case string
  /// A date.
  case date
  /// Bytes.
  case data
  /// A universally unique identifier.
  case uuid
  /// A URL, stored as a string.
  case url
  /// Any other Codable type, stored as a structured value.
  case codable

  /// Creates the attribute type of a Swift type, ignoring optionals and using the raw value of
  /// enumerations.
  package init(_ type: Any.Type) {
    if let scalar = Self.scalars[ObjectIdentifier(type)] {
      self = scalar
    } else if let optional = type as? any OptionalType.Type {
      self.init(optional.wrapped)
    } else if let scalar = type as? any StoreScalar.Type {
      self = scalar.attributeType
    } else if let raw = type as? any RawRepresentable.Type {
      let inner = AttributeType(rawType: raw)
      self = inner
    } else {
      self = .codable
    }
  }

  /// The attribute types of the scalars that models use most, also as optionals.
  ///
  /// A lookup is faster than the first check of a type's conformance, which searches the whole
  /// program.
  package static let scalars: [ObjectIdentifier: AttributeType] = {
    func entries<S: StoreScalar>(_ type: S.Type) -> [(ObjectIdentifier, AttributeType)] {
      [
        (ObjectIdentifier(S.self), S.attributeType),
        (ObjectIdentifier(S?.self), S.attributeType),
      ]
    }
    let types: [any StoreScalar.Type] = [
      Bool.self, Int.self, Double.self, Decimal.self, String.self, Date.self, Data.self, UUID.self,
      URL.self,
    ]
    return Dictionary(uniqueKeysWithValues: types.flatMap { entries($0) })
  }()

  private init<R: RawRepresentable>(rawType: R.Type) {
    self = (R.RawValue.self as? any StoreScalar.Type)?.attributeType ?? .codable
  }

  /// Whether the values are integers.
  package var isInteger: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: true
    default: false
    }
  }

  /// Whether the values are numbers.
  package var isNumber: Bool { isInteger || [.float, .double, .decimal].contains(self) }
}

/// A type that provides access to the type that it wraps.
package protocol OptionalType {
  static var wrapped: Any.Type { get }
  /// The wrapped value, or `nil`.
  var wrappedValue: Any? { get }
}

extension Optional: OptionalType {
  package static var wrapped: Any.Type { Wrapped.self }
  package var wrappedValue: Any? { self }
}
