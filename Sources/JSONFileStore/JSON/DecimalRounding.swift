/// Floating-point numbers from decimal digits, rounded to nearest as IEEE 754 requires.
enum DecimalRounding {
  private static let tens: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  private static let powersOfTen: [UInt64] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]

  /// Returns ten to a power of at most 18.
  @inline(__always)
  static func powerOfTen(_ power: Int) -> Int64 { Int64(bitPattern: powersOfTen[power]) }

  /// Returns the number nearest to `mantissa` times ten to the power of `exponent`.
  ///
  /// - Returns: The number, or `nil` if neither of the two fast algorithms applies; then use the
  ///   system's conversion.
  @inline(__always)
  static func double(_ mantissa: UInt64, exponent: Int) -> Double? {
    if mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
      // Both operands are exact, so the single rounding of the operation is correct.
      return exponent < 0
        ? Double(mantissa) / tens[-exponent] : Double(mantissa) * tens[exponent]
    }
    guard exponent < 0, exponent >= -19 else { return nil }
    return quotient(mantissa, powersOfTen[-exponent])
  }

  /// Returns the number nearest to a quotient of positive integers, by exact division.
  private static func quotient(_ numerator: UInt64, _ denominator: UInt64) -> Double {
    let shift = numerator.leadingZeroBitCount
    let scale = denominator.leadingZeroBitCount
    // numerator * 2^(shift + 63) / (denominator * 2^scale) is in 2^62 ..< 2^64.
    let high = (numerator << shift) >> 1
    let low = (numerator << shift) << 63
    let (bits, rest) = (denominator << scale).dividingFullWidth((high, low))
    // A last bit that represents the remainder makes the rounding to 53 bits the only one.
    let value = Double(bits | (rest == 0 ? 0 : 1))
    return value * Double(sign: .plus, exponent: scale - shift - 63, significand: 1)
  }
}
