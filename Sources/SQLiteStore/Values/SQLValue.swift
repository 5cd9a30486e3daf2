import Foundation

/// A value as SQLite holds it, in one of its five storage classes.
public enum SQLValue: Hashable, Sendable {
  /// No value.
  case null
  /// A whole number.
  case integer(Int64)
  /// A floating-point number; SQLite takes NaN for null.
  case real(Double)
  /// A text.
  case text(String)
  /// Bytes.
  case blob(Data)
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
}

extension SQLValue {
  /// A number; NaN, which SQLite would turn into null, and -0.0, which a column of numbers turns
  /// into 0.0, as the eight bytes of their bits, the most significant first.
  init(exactly number: Double) {
    if number.isNaN || (number == 0 && number.sign == .minus) {
      self = .blob(Self.bytes(of: number.bitPattern))
    } else {
      self = .real(number)
    }
  }

  /// An unsigned number; above the greatest signed one the eight bytes, the most significant
  /// first, which SQLite orders behind all numbers and among each other as they should be.
  init(_ number: UInt64) {
    if let signed = Int64(exactly: number) {
      self = .integer(signed)
    } else {
      self = .blob(Self.bytes(of: number))
    }
  }

  private static func bytes(of number: UInt64) -> Data {
    withUnsafeBytes(of: number.bigEndian) { Data($0) }
  }
}

extension SQLRow {
  /// The number that ``SQLValue/init(exactly:)`` stored, nil when the column holds no number.
  func exactNumber(at column: Int) -> Double? {
    switch storage(at: column) {
    case .real, .integer: real(at: column)
    case .blob: bits(at: column).map(Double.init(bitPattern:))
    case .text, .null: nil
    }
  }

  /// The number of a blob of eight bytes.
  func bits(at column: Int) -> UInt64? {
    withBytes(at: column) { bytes in
      bytes.count == 8 ? UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) : nil
    }
  }
}
