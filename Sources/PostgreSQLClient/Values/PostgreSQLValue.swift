import Foundation

/// A type whose values have a binary format in PostgreSQL's protocol.
///
/// Decoding checks every length, since the server is not trusted.
package protocol PostgreSQLValue: Sendable {
  /// The object identifier of the type.
  static var typeID: UInt32 { get }
  /// The object identifier of the type's arrays.
  static var arrayTypeID: UInt32 { get }

  /// Decodes a value from all of a field's bytes.
  init(field: UnsafeRawBufferPointer) throws(PostgreSQLError)

  /// Appends the bytes of the value.
  func append(to bytes: inout [UInt8])
}

extension PostgreSQLValue {
  static func invalid(_ field: UnsafeRawBufferPointer) -> PostgreSQLError {
    PostgreSQLError(
      .invalidResponse,
      "The server sent a field of \(field.count) bytes that is not a valid \(Self.self)."
    )
  }
}

/// Reads integers in network byte order, which fit in the remaining bytes.
struct FieldReader {
  private(set) var rest: Slice<UnsafeRawBufferPointer>

  init(_ field: UnsafeRawBufferPointer) {
    rest = field[...]
  }

  /// Returns the next integer, or `nil` if there are not enough bytes.
  mutating func integer<I: FixedWidthInteger>(_ type: I.Type = I.self) -> I? {
    let size = I.bitWidth / 8
    guard rest.count >= size else { return nil }
    defer { rest = rest.dropFirst(size) }
    return I(
      bigEndian: UnsafeRawBufferPointer(rebasing: rest.prefix(size)).loadUnaligned(as: I.self)
    )
  }

  /// Returns the next bytes, or `nil` if there are not enough.
  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
  }
}

extension [UInt8] {
  mutating func append(integer: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: integer.bigEndian) { append(contentsOf: $0) }
  }
}

extension FixedWidthInteger {
  /// Decodes an integer that has exactly the size of a field.
  fileprivate init?(exactly field: UnsafeRawBufferPointer) {
    guard field.count == Self.bitWidth / 8 else { return nil }
    self.init(bigEndian: field.loadUnaligned(as: Self.self))
  }
}

extension Bool: PostgreSQLValue {
  package static var typeID: UInt32 { 16 }
  package static var arrayTypeID: UInt32 { 1000 }

  package init(field: UnsafeRawBufferPointer) throws(PostgreSQLError) {
    guard let byte = UInt8(exactly: field), byte <= 1 else { throw Self.invalid(field) }
    self = byte == 1
  }

  package func append(to bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
}

extension PostgreSQLValue where Self: FixedWidthInteger {
  package init(field: UnsafeRawBufferPointer) throws(PostgreSQLError) {
    guard let value = Self(exactly: field) else { throw Self.invalid(field) }
    self = value
  }

  package func append(to bytes: inout [UInt8]) { bytes.append(integer: self) }
}

extension Int16: PostgreSQLValue {
  package static var typeID: UInt32 { 21 }
  package static var arrayTypeID: UInt32 { 1005 }
}

extension Int32: PostgreSQLValue {
  package static var typeID: UInt32 { 23 }
  package static var arrayTypeID: UInt32 { 1007 }
}

extension Int64: PostgreSQLValue {
  package static var typeID: UInt32 { 20 }
  package static var arrayTypeID: UInt32 { 1016 }
}

extension Double: PostgreSQLValue {
  package static var typeID: UInt32 { 701 }
  package static var arrayTypeID: UInt32 { 1022 }

  /// Decodes a number with every bit, including those of NaN.
  package init(field: UnsafeRawBufferPointer) throws(PostgreSQLError) {
    guard let pattern = UInt64(exactly: field) else { throw Self.invalid(field) }
    self.init(bitPattern: pattern)
  }

  package func append(to bytes: inout [UInt8]) { bytes.append(integer: bitPattern) }
}

extension String: PostgreSQLValue {
  package static var typeID: UInt32 { 25 }
  package static var arrayTypeID: UInt32 { 1009 }

  /// Decodes a string, which must be valid UTF-8.
  package init(field: UnsafeRawBufferPointer) throws(PostgreSQLError) {
    // `init(validating:as:)` looks its generic types up in each call, which costs more than to
    // decode a short string. Bytes that are not valid are replaced.
    self.init(decoding: field, as: UTF8.self)
    guard let start = field.baseAddress, !field.isEmpty else { return }
    let isValid = utf8.withContiguousStorageIfAvailable { bytes in
      bytes.count == field.count && bytes.baseAddress.map { memcmp($0, start, field.count) } == 0
    }
    if isValid != true { throw Self.invalid(field) }
  }

  package func append(to bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }
}

extension Data: PostgreSQLValue {
  package static var typeID: UInt32 { 17 }
  package static var arrayTypeID: UInt32 { 1001 }

  package init(field: UnsafeRawBufferPointer) throws(PostgreSQLError) { self.init(field) }

  package func append(to bytes: inout [UInt8]) { bytes.append(contentsOf: self) }
}

extension UUID: PostgreSQLValue {
  package static var typeID: UInt32 { 2950 }
  package static var arrayTypeID: UInt32 { 2951 }

  package init(field: UnsafeRawBufferPointer) throws(PostgreSQLError) {
    guard field.count == 16 else { throw Self.invalid(field) }
    self.init(uuid: field.loadUnaligned(as: uuid_t.self))
  }

  package func append(to bytes: inout [UInt8]) {
    Swift.withUnsafeBytes(of: uuid) { bytes.append(contentsOf: $0) }
  }
}
