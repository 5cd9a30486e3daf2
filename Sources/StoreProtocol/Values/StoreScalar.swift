import Foundation

/// A Swift type with its own stored form, which does not use Codable.
public protocol StoreScalar: Sendable {
  /// The type as stores see it.
  static var attributeType: AttributeType { get }
  /// The stored form.
  var storeValue: StoreValue { get }
  /// Creates a value from its stored form, or returns `nil` if it does not fit exactly.
  init?(storeValue: StoreValue)
  /// A value for objects whose stored values are unavailable.
  static var placeholder: Self { get }
}

extension Bool: StoreScalar {
  public static var attributeType: AttributeType { .bool }
  public static var placeholder: Bool { false }
  public var storeValue: StoreValue { .bool(self) }
  public init?(storeValue: StoreValue) {
    switch storeValue {
    case .bool(let value): self = value
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }
}

extension StoreScalar where Self: FixedWidthInteger {
  public static var placeholder: Self { 0 }
  public var storeValue: StoreValue {
    if let value = Int64(exactly: self) { return .integer(value) }
    return .unsigned(UInt64(truncatingIfNeeded: self))
  }
  public init?(storeValue: StoreValue) {
    switch storeValue {
    case .integer(let value): self.init(exactly: value)
    case .unsigned(let value): self.init(exactly: value)
    case .double(let value): self.init(exactly: value)
    default: return nil
    }
  }
}

extension Int: StoreScalar { public static var attributeType: AttributeType { .int64 } }
extension Int8: StoreScalar { public static var attributeType: AttributeType { .int8 } }
extension Int16: StoreScalar { public static var attributeType: AttributeType { .int16 } }
extension Int32: StoreScalar { public static var attributeType: AttributeType { .int32 } }
extension Int64: StoreScalar { public static var attributeType: AttributeType { .int64 } }
extension UInt: StoreScalar { public static var attributeType: AttributeType { .uint64 } }
extension UInt8: StoreScalar { public static var attributeType: AttributeType { .uint8 } }
extension UInt16: StoreScalar { public static var attributeType: AttributeType { .uint16 } }
extension UInt32: StoreScalar { public static var attributeType: AttributeType { .uint32 } }
extension UInt64: StoreScalar { public static var attributeType: AttributeType { .uint64 } }

extension Double: StoreScalar {
  public static var attributeType: AttributeType { .double }
  public static var placeholder: Double { 0 }
  public var storeValue: StoreValue { .double(self) }
  public init?(storeValue: StoreValue) {
    switch storeValue {
    case .double(let value): self = value
    case .integer(let value): self.init(exactly: value)
    case .unsigned(let value): self.init(exactly: value)
    default: return nil
    }
  }
}

extension Float: StoreScalar {
  public static var attributeType: AttributeType { .float }
  public static var placeholder: Float { 0 }
  public var storeValue: StoreValue { .double(Double(self)) }
  public init?(storeValue: StoreValue) {
    guard let value = Double(storeValue: storeValue) else { return nil }
    if value.isNaN { self = Float(value) } else { self.init(exactly: value) }
  }
}

extension String: StoreScalar {
  public static var attributeType: AttributeType { .string }
  public static var placeholder: String { "" }
  public var storeValue: StoreValue { .string(self) }
  public init?(storeValue: StoreValue) {
    guard case .string(let value) = storeValue else { return nil }
    self = value
  }
}

extension Character: StoreScalar {
  public static var attributeType: AttributeType { .string }
  public static var placeholder: Character { "\u{FFFD}" }
  public var storeValue: StoreValue { .string(String(self)) }
  public init?(storeValue: StoreValue) {
    guard case .string(let value) = storeValue, value.count == 1, let first = value.first else {
      return nil
    }
    self = first
  }
}

extension Date: StoreScalar {
  public static var attributeType: AttributeType { .date }
  public static var placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }
  public var storeValue: StoreValue { .date(self) }
  public init?(storeValue: StoreValue) {
    guard case .date(let value) = storeValue else { return nil }
    self = value
  }
}

extension Data: StoreScalar {
  public static var attributeType: AttributeType { .data }
  public static var placeholder: Data { Data() }
  public var storeValue: StoreValue { .data(self) }
  public init?(storeValue: StoreValue) {
    guard case .data(let value) = storeValue else { return nil }
    self = value
  }
}

extension UUID: StoreScalar {
  public static var attributeType: AttributeType { .uuid }
  public static var placeholder: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
  public var storeValue: StoreValue { .uuid(self) }
  public init?(storeValue: StoreValue) {
    guard case .uuid(let value) = storeValue else { return nil }
    self = value
  }
}

extension Decimal: StoreScalar {
  public static var attributeType: AttributeType { .decimal }
  public static var placeholder: Decimal { 0 }
  public var storeValue: StoreValue { .decimal(self) }
  public init?(storeValue: StoreValue) {
    switch storeValue {
    case .decimal(let value): self = value
    case .integer(let value): self.init(value)
    case .unsigned(let value): self.init(value)
    default: return nil
    }
  }
}

extension URL: StoreScalar {
  public static var attributeType: AttributeType { .url }
  public static var placeholder: URL { URL(filePath: "/") }
  /// The absolute string of the URL; a relative URL is stored in full.
  public var storeValue: StoreValue { .string(absoluteString) }
  public init?(storeValue: StoreValue) {
    guard case .string(let value) = storeValue else { return nil }
    self.init(string: value)
  }
}
