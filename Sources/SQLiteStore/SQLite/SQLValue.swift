import Foundation
import SQLTranslation

/// A value in one of SQLite's five storage classes.
public enum SQLValue: Hashable, Sendable {
  /// No value.
  case null
  /// An integer.
  case integer(Int64)
  /// A floating-point number; SQLite converts NaN to null.
  case real(Double)
  /// A string.
  case text(String)
  /// Bytes.
  case blob(Data)
}

extension SQLValue {
  /// The value as one of a fragment.
  var bound: BoundValue {
    switch self {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let text): .text(text)
    case .blob(let data): .blob(data)
    }
  }
}

extension SQLFragment.StringInterpolation {
  @_disfavoredOverload
  mutating func appendInterpolation(bind value: SQLValue) { appendInterpolation(bind: value.bound) }
}

extension Statement {
  func bind(_ value: SQLValue, at index: Int) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(at: index)
    case .integer(let number): try bind(number, at: index)
    case .real(let number): try bind(number, at: index)
    case .text(let text): try bind(text, at: index)
    case .blob(let data): try bind(data, at: index)
    }
  }

  /// Binds a list of values to the parameters from the first on.
  func bind(_ values: [SQLValue]) throws(SQLiteError) {
    for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
  }

  /// Returns a column's value in its storage class.
  func value(at column: Int) -> SQLValue {
    switch storage(at: column) {
    case .null: .null
    case .integer: .integer(integer(at: column))
    case .real: .real(real(at: column))
    case .text: .text(text(at: column) ?? "")
    case .blob: .blob(data(at: column))
    }
  }
}

extension SQLValue {
  /// Creates the stored form of a save's identifier: its sixteen bytes.
  init(_ save: UUID?) {
    self = save.map { .blob(withUnsafeBytes(of: $0.uuid) { Data($0) }) } ?? .null
  }

  /// Creates the stored form of a number.
  ///
  /// SQLite would convert NaN to null, and a column of numbers converts -0.0 to 0.0. These are
  /// stored as the eight bytes of their bits, the most significant first.
  init(exactly number: Double) {
    self = number.isPlain ? .real(number) : .blob(Self.bytes(of: number.bitPattern))
  }

  /// Creates the stored form of an unsigned number.
  ///
  /// A number above the greatest signed one is stored as eight bytes, the most significant first.
  /// SQLite orders them after all numbers, and correctly among each other.
  init(_ number: UInt64) {
    self = Int64(exactly: number).map(SQLValue.integer) ?? .blob(Self.bytes(of: number))
  }

  /// Whether the stored form of a number is NaN.
  var isNotANumber: Bool {
    guard case .blob(let bytes) = self, bytes.count == 8 else { return false }
    return Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }).isNaN
  }

  /// The value with Swift's equality: strings have it already, and -0.0 becomes 0.0.
  ///
  /// A string with many combining marks is composed: Swift hashes others in quadratic time.
  var comparable: SQLValue {
    if case .text(let text) = self { return .text(text.comparable) }
    return self == SQLValue(exactly: -0.0) ? .real(0) : self
  }

  private static func bytes(of number: UInt64) -> Data {
    withUnsafeBytes(of: number.bigEndian) { Data($0) }
  }
}

extension Double {
  /// Whether SQLite stores the number unchanged: NaN would become null, and -0.0 a zero.
  @inline(__always)
  var isPlain: Bool { self == self && (self != 0 || sign == .plus) }
}

extension SQLRow {
  /// Returns the number that ``SQLValue/init(exactly:)`` stored, or `nil` if the column has no
  /// number.
  func exactNumber(at column: Int) -> Double? {
    switch storage(at: column) {
    case .real, .integer: real(at: column)
    case .blob: bits(at: column).map(Double.init(bitPattern:))
    case .text, .null: nil
    }
  }

  /// Returns the number of a blob of eight bytes, or `nil` if it has another length.
  func bits(at column: Int) -> UInt64? {
    withBytes(at: column) { bytes in
      bytes.count == 8 ? UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) : nil
    }
  }
}
