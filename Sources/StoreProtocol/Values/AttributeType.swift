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
    } else if let raw = type as? any RawRepresentable.Type {
      self.init(rawType: raw)
    } else {
      self = .codable
    }
  }

  /// The attribute types of all scalars, also as optionals.
  ///
  /// A lookup is faster than the first check of a type's conformance, which searches the whole
  /// program.
  package static let scalars: [ObjectIdentifier: AttributeType] = {
    func identifiers<S: StoreScalar>(_ type: S.Type) -> [ObjectIdentifier] {
      [ObjectIdentifier(S.self), ObjectIdentifier(S?.self)]
    }
    let types: [(AttributeType, [any StoreScalar.Type])] = [
      (.bool, [Bool.self]), (.int8, [Int8.self]), (.int16, [Int16.self]), (.int32, [Int32.self]),
      (.int64, [Int.self, Int64.self]), (.uint8, [UInt8.self]), (.uint16, [UInt16.self]),
      (.uint32, [UInt32.self]), (.uint64, [UInt.self, UInt64.self]), (.float, [Float.self]),
      (.double, [Double.self]), (.decimal, [Decimal.self]),
      (.string, [String.self, Character.self]), (.date, [Date.self]), (.data, [Data.self]),
      (.uuid, [UUID.self]), (.url, [URL.self]), (.codable, [Int128.self, UInt128.self]),
    ]
    return types.reduce(into: [:]) { found, entry in
      for type in entry.1 { for one in identifiers(type) { found[one] = entry.0 } }
    }
  }()

  private init<R: RawRepresentable>(rawType: R.Type) {
    self = Self.scalars[ObjectIdentifier(R.RawValue.self)] ?? .codable
  }

  /// An empty value for rows without one, if there is one for all types with this stored form.
  package var emptyValue: StoreValue? {
    switch self {
    case .bool: .bool(false)
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: .integer(0)
    case .float, .double: .double(0)
    case .decimal: .decimal(0)
    case .string: .string("")
    case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .data: .data(Data())
    case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    case .url: .string("file:///")
    case .codable: nil
    }
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
