/// Fast paths for values in the form of the writer.
///
/// Each method returns `nil`, and reads nothing, if something else follows. Then the method that
/// accepts everything in the format reads it, or throws the error.
extension JSONScanner {
  /// Skips the given bytes if they are next, and returns whether they were.
  @inline(__always)
  mutating func take(_ expected: UnsafeBufferPointer<UInt8>) -> Bool {
    guard end - position >= expected.count, let first = expected.baseAddress else { return false }
    let text = base + position
    guard expected.count >= 8 else {
      for index in 0..<expected.count where text[index] != first[index] { return false }
      advance(by: expected.count)
      return true
    }
    // The last word may overlap the one before it.
    let last = expected.count - 8
    var index = 0
    while index < last {
      guard TextWord.load(text + index) == TextWord.load(first + index) else { return false }
      index += 8
    }
    guard TextWord.load(text + last) == TextWord.load(first + last) else { return false }
    advance(by: expected.count)
    return true
  }

  /// Reads an integer of at most 18 digits.
  @inline(__always)
  mutating func readPlainInteger() -> Int64? {
    let start = position
    let isNegative = start < end && base[start] == UInt8(ascii: "-")
    let first = isNegative ? start + 1 : start
    var (index, value) = digits(from: first)
    guard index > first, index - first <= 18, isEnd(at: index),
      base[first] != UInt8(ascii: "0") || index == first + 1
    else { return nil }
    if isNegative { value = 0 &- value }
    move(to: index)
    return value
  }

  /// Reads a number with a fraction and at most 15 digits.
  @inline(__always)
  mutating func readPlainDouble() -> Double? {
    let start = position
    let isNegative = start < end && base[start] == UInt8(ascii: "-")
    let first = isNegative ? start + 1 : start
    let (point, whole) = digits(from: first)
    guard point > first, point < end, base[point] == UInt8(ascii: "."),
      base[first] != UInt8(ascii: "0") || point == first + 1
    else { return nil }
    let (index, mantissa) = digits(from: point + 1, behind: whole)
    let fractionDigits = index - point - 1
    guard fractionDigits > 0, index - first <= 16, isEnd(at: index),
      let value = DecimalRounding.double(UInt64(bitPattern: mantissa), exponent: -fractionDigits)
    else { return nil }
    move(to: index)
    return isNegative ? -value : value
  }

  /// Reads a string of ASCII characters without escapes.
  @inline(__always)
  mutating func readPlainString() -> String? {
    guard position < end, base[position] == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    let quote = endOfPlainText(from: start)
    guard quote < end, base[quote] == UInt8(ascii: "\"") else { return nil }
    move(to: quote + 1)
    return String(
      decoding: UnsafeBufferPointer(start: base + start, count: quote - start),
      as: UTF8.self
    )
  }

  /// Reads a date in whole seconds, such as 2013-01-01T05:00:00Z.
  @inline(__always)
  mutating func readPlainDate() -> Double? {
    guard end - position >= 22, base[position] == UInt8(ascii: "\""),
      base[position + 21] == UInt8(ascii: "\""),
      let interval = DateText.plainInterval(base + position + 1)
    else { return nil }
    advance(by: 22)
    return interval
  }

  /// Returns whether a value that ends at an index certainly ends there.
  @inline(__always)
  private func isEnd(at index: Int) -> Bool {
    index < end && (base[index] == UInt8(ascii: ",") || base[index] == UInt8(ascii: "}"))
  }

  /// Returns the number in the digits from an index on, appended to leading digits, and the index
  /// after them.
  ///
  /// There are at most 20 digits, which may overflow the number.
  @inline(__always)
  private func digits(from start: Int, behind leading: Int64 = 0) -> (end: Int, value: Int64) {
    guard end - start >= 8 else { return digits(oneByOneFrom: start, behind: leading) }
    let word = TextWord.load(base + start)
    let count = TextWord.digitCount(word)
    let value =
      leading &* DecimalRounding.powerOfTen(count)
      &+ Int64(bitPattern: TextWord.number(word, digits: count))
    return count < 8 ? (start + count, value) : digits(oneByOneFrom: start + 8, behind: value)
  }

  private func digits(
    oneByOneFrom start: Int,
    behind leading: Int64
  ) -> (end: Int, value: Int64) {
    let limit = min(end, start + 12)
    var index = start
    var value = leading
    while index < limit {
      let digit = base[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      value = value &* 10 &+ Int64(digit)
      index += 1
    }
    return (index, value)
  }
}
