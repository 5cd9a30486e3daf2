/// Dates in whole seconds and UTC, in one form of twenty bytes, parsed as three words.
extension DateText {
  /// Eight bytes, some of which are digits and the others constant.
  private struct Form {
    /// The bytes with zeros for the digits.
    let zeros: UInt64
    /// The values that raise an invalid byte to its highest bit.
    let limits: UInt64

    /// Returns the digits of a word in their bytes, or `nil` if the word has another form.
    @inline(__always)
    func digits(_ pointer: UnsafePointer<UInt8>) -> UInt64? {
      let digits = TextWord.load(pointer) ^ zeros
      return ((digits &+ limits) | digits) & 0x8080_8080_8080_8080 == 0 ? digits : nil
    }
  }

  // The eight bytes that start at the first, the ninth and the thirteenth byte, as `0000-00-`,
  // `00T00:00` and `0:00:00Z`.
  private static let yearAndMonth = Form(
    zeros: 0x2D30_302D_3030_3030,
    limits: 0x7F76_767F_7676_7676
  )
  private static let dayToMinute = Form(
    zeros: 0x3030_3A30_3054_3030,
    limits: 0x7676_7F76_767F_7676
  )
  private static let hourToEnd = Form(
    zeros: 0x5A30_303A_3030_3A30,
    limits: 0x7F76_767F_7676_7F76
  )

  /// Returns the seconds since 2001 of a text of twenty bytes, such as `2013-01-01T05:00:00Z`.
  ///
  /// - Returns: The seconds, or `nil` if the bytes are not such a text.
  @inline(__always)
  static func plainInterval(_ text: UnsafePointer<UInt8>) -> Double? {
    guard let first = yearAndMonth.digits(text), let second = dayToMinute.digits(text + 8),
      let third = hourToEnd.digits(text + 12)
    else { return nil }
    return interval(
      year: pair(first, 0) * 100 + pair(first, 2),
      month: pair(first, 5),
      day: pair(second, 0),
      hour: pair(second, 3),
      minute: pair(second, 6),
      second: pair(third, 5)
    )
  }

  @inline(__always)
  private static func pair(_ digits: UInt64, _ index: Int) -> Int {
    let two = digits >> UInt64(8 * index)
    return Int(truncatingIfNeeded: (two & 0xFF) &* 10 &+ (two >> 8 & 0xFF))
  }
}
