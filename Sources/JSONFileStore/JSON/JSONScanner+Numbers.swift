import StoreProtocol

extension JSONScanner {
  /// Reads a number in the form in which it is written.
  ///
  /// It is an integer without a fraction and an exponent, an unsigned integer above `Int64.max`, or
  /// a floating-point number.
  mutating func readNumber() throws(JSONError) -> StoreValue {
    _ = try nextToken()
    let start = position
    let literal = try readLiteral()
    guard literal.isInteger else { return .double(try double(literal, from: start)) }
    if let value = literal.signed { return .integer(value) }
    if let value = literal.unsigned { return .unsigned(value) }
    throw error(.numberOutOfRange("64 bits"), at: start)
  }

  /// Reads a 64-bit integer.
  @inline(__always)
  mutating func readInteger() throws(JSONError) -> Int64 {
    _ = try nextToken()
    let start = position
    let literal = try readLiteral()
    guard literal.isInteger else { throw error(.notInteger, at: start) }
    guard let value = literal.signed else {
      throw error(.numberOutOfRange("a 64-bit integer"), at: start)
    }
    return value
  }

  /// Reads an unsigned 64-bit integer.
  mutating func readUnsigned() throws(JSONError) -> UInt64 {
    _ = try nextToken()
    let start = position
    let literal = try readLiteral()
    guard literal.isInteger else { throw error(.notInteger, at: start) }
    guard let value = literal.unsigned else {
      throw error(.numberOutOfRange("an unsigned 64-bit integer"), at: start)
    }
    return value
  }

  /// Reads a number in any form as the nearest floating-point number.
  @inline(__always)
  mutating func readDouble() throws(JSONError) -> Double {
    _ = try nextToken()
    let start = position
    let literal = try readLiteral()
    if literal.isInteger, literal.mantissa <= 1 << 53, !literal.isLong {
      let value = Double(literal.mantissa)
      return literal.isNegative ? -value : value
    }
    return try double(literal, from: start)
  }

  /// The parts of a number: a mantissa times a power of ten.
  struct Literal {
    var isNegative = false
    var isInteger = true
    /// Whether there are more digits than the mantissa can hold.
    var isLong = false
    var mantissa: UInt64 = 0
    var exponent = 0

    var signed: Int64? {
      if isLong { return nil }
      if !isNegative { return Int64(exactly: mantissa) }
      return mantissa <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- mantissa) : nil
    }

    var unsigned: UInt64? {
      isLong || (isNegative && mantissa != 0) ? nil : mantissa
    }

    @inline(__always)
    mutating func append(_ digit: UInt8) {
      if mantissa > (UInt64.max - 9) / 10 {
        appendLast(digit)
      } else {
        mantissa = mantissa &* 10 &+ UInt64(digit)
      }
    }

    private mutating func appendLast(_ digit: UInt8) {
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carry || isLong { isLong = true } else { mantissa = sum }
    }
  }

  /// Skips a number and checks its form, but not whether it fits a type.
  mutating func skipNumber() throws(JSONError) {
    guard let next, isDigit(next) || next == UInt8(ascii: "-") else { throw unexpected("a value") }
    _ = try readLiteral()
  }

  /// Reads a number whose first byte is the next byte.
  @inline(__always)
  private mutating func readLiteral() throws(JSONError) -> Literal {
    var literal = Literal()
    if next == UInt8(ascii: "-") {
      literal.isNegative = true
      advance()
    }
    if next == UInt8(ascii: "0") {
      advance()
      if let next, isDigit(next) { throw error(.invalidNumber) }
    } else if try readDigits(&literal) == 0 {
      throw literal.isNegative ? error(.invalidNumber) : unexpected("a number")
    }
    if next == UInt8(ascii: ".") {
      advance()
      literal.isInteger = false
      let count = try readDigits(&literal)
      if count == 0 { throw error(.invalidNumber) }
      literal.exponent = -count
    }
    if let next, next | 0x20 == UInt8(ascii: "e") { try readExponent(&literal) }
    return literal
  }

  @inline(__always)
  private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

  @inline(__always)
  private mutating func readDigits(_ literal: inout Literal) throws(JSONError) -> Int {
    let start = position
    while let next, isDigit(next) {
      literal.append(next &- UInt8(ascii: "0"))
      advance()
    }
    return position - start
  }

  private mutating func readExponent(_ literal: inout Literal) throws(JSONError) {
    advance()
    literal.isInteger = false
    let isNegative = next == UInt8(ascii: "-")
    if isNegative || next == UInt8(ascii: "+") { advance() }
    let start = position
    var exponent = 0
    while let next, isDigit(next) {
      // Beyond a million, the number is zero or out of range, whatever follows.
      if exponent < 1_000_000 { exponent = exponent * 10 + Int(next - UInt8(ascii: "0")) }
      advance()
    }
    if position == start { throw error(.invalidNumber) }
    literal.exponent += isNegative ? -exponent : exponent
  }

  /// Returns the floating-point number nearest to a literal that starts at a position.
  private func double(_ literal: Literal, from start: Int) throws(JSONError) -> Double {
    if !literal.isLong,
      let value = DecimalRounding.double(literal.mantissa, exponent: literal.exponent)
    {
      return literal.isNegative ? -value : value
    }
    let bytes = UnsafeBufferPointer(start: base + start, count: position - start)
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite,
      value != 0 || literal.mantissa == 0
    else { throw error(.numberOutOfRange("a floating-point number"), at: start) }
    return value
  }
}
