/// Values as the writer leaves them, which are read by the shortest way.
///
/// Each method returns nil, and reads nothing, where something else comes next: then the method that
/// takes all that the format allows reads it, or tells what is wrong.
extension JSONScanner {
  /// Takes the bytes that come next when they are these.
  @inline(__always)
  mutating func take(_ expected: UnsafeBufferPointer<UInt8>) -> Bool {
    guard end - position >= expected.count, let first = expected.baseAddress else { return false }
    let (text, bytes) = (UnsafeRawPointer(base + position), UnsafeRawPointer(first))
    var index = 0
    while expected.count - index >= 8 {
      guard
        text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
          == bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      else { return false }
      index += 8
    }
    while index < expected.count {
      guard base[position + index] == first[index] else { return false }
      index += 1
    }
    advance(by: expected.count)
    return true
  }

  /// Reads a whole number of at most 18 digits.
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
    let places = index - point - 1
    guard places > 0, index - first <= 16, isEnd(at: index),
      let value = DecimalRounding.double(UInt64(bitPattern: mantissa), exponent: -places)
    else { return nil }
    move(to: index)
    return isNegative ? -value : value
  }

  /// Reads a string without escapes.
  @inline(__always)
  mutating func readPlainString() -> String? {
    guard position < end, base[position] == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    let quote = endOfText(from: start)
    guard quote < end, base[quote] == UInt8(ascii: "\""),
      let text = String(
        validating: UnsafeBufferPointer(start: base + start, count: quote - start),
        as: UTF8.self
      )
    else { return nil }
    move(to: quote + 1)
    return text
  }

  /// Reads a date in whole seconds, as 2013-01-01T05:00:00Z.
  @inline(__always)
  mutating func readPlainDate() -> Double? {
    guard end - position >= 22, base[position] == UInt8(ascii: "\""),
      base[position + 21] == UInt8(ascii: "\""),
      let date = DateText.date(UnsafeBufferPointer(start: base + position + 1, count: 20))
    else { return nil }
    advance(by: 22)
    return date.timeIntervalSinceReferenceDate
  }

  /// Whether a value that ends at an index is surely at its end.
  @inline(__always)
  private func isEnd(at index: Int) -> Bool {
    index < end && (base[index] == UInt8(ascii: ",") || base[index] == UInt8(ascii: "}"))
  }

  /// The number in the digits from an index on, and where they end; 20 of them at most, which may
  /// be more than the number holds.
  @inline(__always)
  private func digits(from start: Int, behind leading: Int64 = 0) -> (end: Int, value: Int64) {
    let limit = min(end, start + 20)
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

  /// The position of the first quote, backslash or control character, looking at eight at a time.
  @inline(__always)
  private func endOfText(from start: Int) -> Int {
    var index = start
    while end - index >= 8 {
      let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self).littleEndian
      let plain = TextWord.plainCount(word)
      index += plain
      if plain < 8 { return index }
    }
    while index < end, !TextWord.mustEscape(base[index]) { index += 1 }
    return index
  }
}
