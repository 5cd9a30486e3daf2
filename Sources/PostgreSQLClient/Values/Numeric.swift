import Foundation

/// The parts of PostgreSQL's type `numeric`: integers to the base of 10,000.
private enum NumericFormat {
  static let positive: UInt16 = 0
  static let negative: UInt16 = 0x4000
  static let notANumber: UInt16 = 0xC000
}

extension Decimal: PostgreSQLValue {
  package static var typeID: UInt32 { 1700 }
  package static var arrayTypeID: UInt32 { 1231 }

  /// Decodes a number exactly.
  ///
  /// - Throws: ``PostgreSQLError`` of kind `invalidResponse` if the bytes are invalid, and
  ///   `invalidValue` if the number has more digits than `Decimal` or is infinite.
  package init(field: UnsafeRawBufferPointer) throws(PostgreSQLError) {
    var reader = FieldReader(field)
    guard let count = reader.integer(UInt16.self), let weight = reader.integer(Int16.self),
      let sign = reader.integer(UInt16.self), let scale = reader.integer(UInt16.self),
      scale < 0x4000, reader.rest.count == Int(count) * 2
    else { throw Self.invalid(field) }
    switch sign {
    case NumericFormat.notANumber: self = .nan
    case NumericFormat.positive, NumericFormat.negative:
      var digits: [UInt16] = []
      while let digit = reader.integer(UInt16.self) {
        guard digit < 10_000 else { throw Self.invalid(field) }
        digits.append(digit)
      }
      try self.init(digits: digits, weight: Int(weight), isNegative: sign != NumericFormat.positive)
    // The two infinities of PostgreSQL 14 and later.
    case 0xD000, 0xF000: throw Self.unrepresentable
    default: throw Self.invalid(field)
    }
  }

  /// Creates the number of some digits to the base of 10,000.
  ///
  /// The first digit counts 10,000 to the power of `weight`.
  private init(
    digits: [UInt16],
    weight: Int,
    isNegative: Bool
  ) throws(PostgreSQLError) {
    var mantissa: UInt128 = 0
    // Zeros in between count only if another digit follows.
    var exponent = 4 * (weight + 1)
    var zeros = 0
    for index in 0..<digits.count * 4 {
      let decimal = digits[index / 4] / [1000, 100, 10, 1][index % 4] % 10
      exponent -= 1
      zeros += 1
      guard decimal != 0 else { continue }
      for _ in 0..<(mantissa == 0 ? 0 : zeros) {
        mantissa = try Self.product(mantissa, 10)
      }
      let (sum, overflow) = mantissa.addingReportingOverflow(UInt128(decimal))
      guard !overflow else { throw Self.unrepresentable }
      mantissa = sum
      zeros = 0
    }
    exponent += zeros
    guard mantissa != 0 else {
      self = 0
      return
    }
    while exponent > 127 {
      mantissa = try Self.product(mantissa, 10)
      exponent -= 1
    }
    guard exponent >= -128 else { throw Self.unrepresentable }
    try self.init(mantissa: mantissa, exponent: exponent, isNegative: isNegative)
  }

  private init(mantissa: UInt128, exponent: Int, isNegative: Bool) throws(PostgreSQLError) {
    let high = Decimal(UInt64(truncatingIfNeeded: mantissa >> 64))
    let significand =
      high * (Decimal(UInt64.max) + 1) + Decimal(UInt64(truncatingIfNeeded: mantissa))
    // Foundation moves zeros at the end into the exponent, which is a byte.
    guard exponent + significand.exponent <= 127 else { throw Self.unrepresentable }
    self.init(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
  }

  private static func product(
    _ left: UInt128,
    _ right: UInt128
  ) throws(PostgreSQLError) -> UInt128 {
    let (product, overflow) = left.multipliedReportingOverflow(by: right)
    guard !overflow else { throw unrepresentable }
    return product
  }

  private static var unrepresentable: PostgreSQLError {
    PostgreSQLError(.invalidValue, "A number of the server does not fit in Decimal.")
  }

  /// Appends the number without zeros at its end.
  package func append(to bytes: inout [UInt8]) {
    guard !isNaN else { return bytes.appendNumeric([], 0, NumericFormat.notANumber, scale: 0) }
    let text = magnitude.description.split(separator: ".", omittingEmptySubsequences: false)
    var whole = Array((text.first ?? "0").utf8.map { UInt16($0 &- 48) })
    var fraction = Array((text.dropFirst().first ?? "").utf8.map { UInt16($0 &- 48) })
    while fraction.last == 0 { fraction.removeLast() }
    let scale = fraction.count
    whole = Array(repeating: 0, count: (4 - whole.count % 4) % 4) + whole
    fraction += Array(repeating: 0, count: (4 - fraction.count % 4) % 4)
    var weight = whole.count / 4 - 1
    let all = whole + fraction
    var digits: [UInt16] = stride(from: 0, to: all.count, by: 4).map { start in
      all[start..<start + 4].reduce(0) { $0 * 10 + $1 }
    }
    while digits.first == 0 {
      digits.removeFirst()
      weight -= 1
    }
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty { weight = 0 }
    let isNegative = sign == .minus && !digits.isEmpty
    bytes.appendNumeric(
      digits,
      weight,
      isNegative ? NumericFormat.negative : NumericFormat.positive,
      scale: scale
    )
  }
}

extension [UInt8] {
  fileprivate mutating func appendNumeric(
    _ digits: [UInt16],
    _ weight: Int,
    _ sign: UInt16,
    scale: Int
  ) {
    append(integer: UInt16(clamping: digits.count))
    append(integer: Int16(clamping: weight))
    append(integer: sign)
    append(integer: UInt16(clamping: scale))
    for digit in digits { append(integer: digit) }
  }
}
