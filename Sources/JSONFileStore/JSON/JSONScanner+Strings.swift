/// A string in JSON text: the bytes between its quotes.
struct JSONText {
  /// The index of the first byte after the opening quote.
  let start: Int
  /// The index of the closing quote.
  let end: Int
  /// Whether the string contains escapes.
  let hasEscapes: Bool
}

extension JSONScanner {
  @inline(__always)
  mutating func readString() throws(JSONError) -> String {
    guard try nextToken() == UInt8(ascii: "\"") else { throw unexpected("a string") }
    return try string(of: readText())
  }

  @inline(__always)
  func string(of text: JSONText) throws(JSONError) -> String {
    if text.hasEscapes { return try unescaped(text) }
    let bytes = UnsafeBufferPointer(start: base + text.start, count: text.end - text.start)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns whether a string has exactly these bytes.
  @inline(__always)
  func isText(_ text: JSONText, equalTo expected: [UInt8]) -> Bool {
    guard !text.hasEscapes, text.end - text.start == expected.count else { return false }
    for index in 0..<expected.count where base[text.start + index] != expected[index] {
      return false
    }
    return true
  }

  /// Skips a string whose quote is the next byte, and checks it.
  @inline(__always)
  mutating func readText() throws(JSONError) -> JSONText {
    let start = position + 1
    var index = start
    var hasEscapes = false
    while index < end {
      let byte = base[index]
      if byte == UInt8(ascii: "\"") {
        move(to: index + 1)
        return JSONText(start: start, end: index, hasEscapes: hasEscapes)
      }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        index = try endOfEscape(at: index)
      } else if byte < 0x20 {
        throw error(.controlCharacter, at: index)
      } else if byte < 0x80 {
        index = endOfPlainText(from: index + 1)
      } else {
        index = try endOfScalar(at: index)
      }
    }
    throw error(.unexpectedEnd, at: end)
  }

  /// Returns the index of the first byte that is not plain ASCII text, testing eight at a time.
  ///
  /// It may return the index of one of the last eight bytes even if it is plain.
  @inline(__always)
  func endOfPlainText(from start: Int) -> Int {
    var index = start
    // The loop condition is tested before the exact count, so that no word waits for the previous
    // one.
    while end - index >= 8 {
      let word = TextWord.load(base + index)
      guard TextWord.isPlainASCII(word) else { return index + TextWord.plainASCIICount(word) }
      index += 8
    }
    return index
  }

  /// Checks the escape at an index and returns the position after it.
  private func endOfEscape(at index: Int) throws(JSONError) -> Int {
    guard index + 1 < end else { throw error(.unexpectedEnd, at: end) }
    switch base[index + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return index + 2
    case UInt8(ascii: "u"):
      return try escapedScalar(at: index).next
    default:
      throw error(.invalidEscape, at: index)
    }
  }

  /// Returns the scalar of the `\u` escape at an index, including the second half of a pair.
  private func escapedScalar(
    at index: Int
  ) throws(JSONError) -> (scalar: UnicodeScalar, next: Int) {
    let first = try hexNumber(at: index + 2)
    if let scalar = UnicodeScalar(first) { return (scalar, index + 6) }
    guard first < 0xDC00, index + 7 < end, base[index + 6] == UInt8(ascii: "\\"),
      base[index + 7] == UInt8(ascii: "u")
    else { throw error(.loneSurrogate, at: index) }
    let second = try hexNumber(at: index + 8)
    guard (0xDC00..<0xE000).contains(second),
      let scalar = UnicodeScalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw error(.loneSurrogate, at: index) }
    return (scalar, index + 12)
  }

  private func hexNumber(at index: Int) throws(JSONError) -> UInt32 {
    guard index + 4 <= end else { throw error(.unexpectedEnd, at: end) }
    var number: UInt32 = 0
    for offset in index..<index + 4 {
      let digit: UInt8
      switch base[offset] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = base[offset] - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = base[offset] - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = base[offset] - UInt8(ascii: "A") + 10
      default: throw error(.invalidEscape, at: offset)
      }
      number = number << 4 | UInt32(digit)
    }
    return number
  }

  /// Returns the content of a checked string with escapes.
  private func unescaped(_ text: JSONText) throws(JSONError) -> String {
    var result = ""
    result.reserveCapacity(text.end - text.start)
    var index = text.start
    while index < text.end {
      var plainEnd = index
      while plainEnd < text.end, base[plainEnd] != UInt8(ascii: "\\") { plainEnd += 1 }
      let plain = UnsafeBufferPointer(start: base + index, count: plainEnd - index)
      result += String(decoding: plain, as: UTF8.self)
      guard plainEnd + 1 < text.end else { break }
      if base[plainEnd + 1] == UInt8(ascii: "u") {
        let escape = try escapedScalar(at: plainEnd)
        result.unicodeScalars.append(escape.scalar)
        index = escape.next
      } else {
        result.unicodeScalars.append(Self.scalar(ofEscape: base[plainEnd + 1]))
        index = plainEnd + 2
      }
    }
    return result
  }

  private static func scalar(ofEscape letter: UInt8) -> UnicodeScalar {
    switch letter {
    case UInt8(ascii: "b"): "\u{8}"
    case UInt8(ascii: "f"): "\u{C}"
    case UInt8(ascii: "n"): "\n"
    case UInt8(ascii: "r"): "\r"
    case UInt8(ascii: "t"): "\t"
    default: UnicodeScalar(letter)
    }
  }

  /// Checks the scalar of two to four bytes at an index and returns the index after it.
  ///
  /// The ranges are those of table 3-7 of the Unicode standard: no overlong form, no surrogate,
  /// nothing above U+10FFFF.
  private func endOfScalar(at index: Int) throws(JSONError) -> Int {
    let lead = base[index]
    let second: ClosedRange<UInt8>
    let count: Int
    switch lead {
    case 0xC2...0xDF: (count, second) = (2, 0x80...0xBF)
    case 0xE0: (count, second) = (3, 0xA0...0xBF)
    case 0xED: (count, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (count, second) = (3, 0x80...0xBF)
    case 0xF0: (count, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (count, second) = (4, 0x80...0xBF)
    case 0xF4: (count, second) = (4, 0x80...0x8F)
    default: throw error(.invalidUTF8, at: index)
    }
    guard index + count <= end else { throw error(.invalidUTF8, at: index) }
    guard second.contains(base[index + 1]) else { throw error(.invalidUTF8, at: index) }
    for offset in 2..<max(count, 2) where base[index + offset] & 0xC0 != 0x80 {
      throw error(.invalidUTF8, at: index)
    }
    return index + count
  }
}
