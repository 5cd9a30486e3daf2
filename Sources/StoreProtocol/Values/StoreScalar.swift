import Foundation

/// A Swift type with its own stored form, which does not use Codable.
public protocol StoreScalar: Sendable {
  /// The stored form.
  var storeValue: StoreValue { get }
  /// Creates a value from its stored form, or returns `nil` if it does not fit exactly.
  init?(storeValue: StoreValue)
}

extension StoreScalar {
  /// The type as stores see it.
  package static var attributeType: AttributeType {
    AttributeType.scalars[ObjectIdentifier(self)] ?? .codable
  }

  /// The stored form of a value for objects whose stored values are unavailable.
  package static var placeholder: StoreValue {
    self == Character.self ? .string("\u{FFFD}") : attributeType.emptyValue ?? .integer(0)
  }
}

extension Bool: StoreScalar {
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
  public var storeValue: StoreValue {
    if Self.bitWidth > 64 { return halves }
    if let value = Int64(exactly: self) { return .integer(value) }
    return .unsigned(UInt64(truncatingIfNeeded: self))
  }
  public init?(storeValue: StoreValue) {
    switch storeValue {
    case .integer(let value): self.init(exactly: value)
    case .unsigned(let value): self.init(exactly: value)
    case .double(let value): self.init(exactly: value)
    case .composite where Self.bitWidth > 64: self.init(halves: storeValue)
    default: return nil
    }
  }
}

extension Int: StoreScalar {}
extension Int8: StoreScalar {}
extension Int16: StoreScalar {}
extension Int32: StoreScalar {}
extension Int64: StoreScalar {}
extension UInt: StoreScalar {}
extension UInt8: StoreScalar {}
extension UInt16: StoreScalar {}
extension UInt32: StoreScalar {}
extension UInt64: StoreScalar {}

extension StoreScalar where Self: BinaryFloatingPoint {
  public var storeValue: StoreValue { .double(Double(self)) }
  public init?(storeValue: StoreValue) {
    switch storeValue {
    case .double(let value) where value.isNaN: self.init(value)
    case .double(let value): self.init(exactly: value)
    case .integer(let value): self.init(exactly: value)
    case .unsigned(let value): self.init(exactly: value)
    default: return nil
    }
  }
}

extension Double: StoreScalar {}
extension Float: StoreScalar {}

extension String: StoreScalar {
  public var storeValue: StoreValue { .string(self) }
  public init?(storeValue: StoreValue) {
    guard case .string(let value) = storeValue else { return nil }
    self = value
  }
}

extension Character: StoreScalar {
  public var storeValue: StoreValue { .string(String(self)) }
  public init?(storeValue: StoreValue) {
    guard case .string(let value) = storeValue, value.count == 1, let first = value.first else {
      return nil
    }
    self = first
  }
}

extension Date: StoreScalar {
  public var storeValue: StoreValue { .date(self) }
  public init?(storeValue: StoreValue) {
    guard case .date(let value) = storeValue else { return nil }
    self = value
  }
}

extension Data: StoreScalar {
  public var storeValue: StoreValue { .data(self) }
  public init?(storeValue: StoreValue) {
    guard case .data(let value) = storeValue else { return nil }
    self = value
  }
}

extension UUID: StoreScalar {
  public var storeValue: StoreValue { .uuid(self) }
  public init?(storeValue: StoreValue) {
    guard case .uuid(let value) = storeValue else { return nil }
    self = value
  }
}

extension Decimal: StoreScalar {
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
  /// The absolute string of the URL; a relative URL is stored in full.
  public var storeValue: StoreValue { .string(absoluteString) }
  public init?(storeValue: StoreValue) {
    guard case .string(let value) = storeValue else { return nil }
    self.init(string: value)
  }
}
