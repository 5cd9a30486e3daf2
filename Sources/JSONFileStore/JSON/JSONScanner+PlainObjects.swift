/// Fast paths to skip objects in the form of most rows: members without whitespace between them,
/// none of which is an object.
///
/// An object of another form is skipped again from its start, so nested objects must not be handled
/// here: deeply nested text would take quadratic time.
extension JSONScanner {
  /// Skips an object whose bracket is the next byte, and checks it as `skipValue()` does.
  ///
  /// - Returns: `false`, with an unchanged scanner, for an object of another form or an invalid
  ///   one.
  @inline(__always)
  mutating func skipPlainObject() throws(JSONError) -> Bool {
    let (start, outerDepth) = (position, depth)
    try enter()
    var index = position
    while try skipPlainMember(&index) {
      let byte = index < end ? base[index] : 0
      index += 1
      if byte == UInt8(ascii: ",") { continue }
      guard byte == UInt8(ascii: "}") else { break }
      depth = outerDepth
      move(to: index)
      return true
    }
    depth = outerDepth
    move(to: start)
    return false
  }

  /// Skips a name, a colon and a value.
  @inline(__always)
  private mutating func skipPlainMember(_ index: inout Int) throws(JSONError) -> Bool {
    guard index < end, base[index] == UInt8(ascii: "\"") else { return false }
    try skipString(&index)
    guard end - index >= 2, base[index] == UInt8(ascii: ":") else { return false }
    index += 1
    switch base[index] {
    case UInt8(ascii: "\""): try skipString(&index)
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      return skipPlainNumber(&index)
    case UInt8(ascii: "["): return skipPlainNumbers(&index)
    default: return try skipWord(&index)
    }
    return true
  }

  private mutating func skipWord(_ index: inout Int) throws(JSONError) -> Bool {
    let byte = base[index]
    move(to: index)
    if byte == UInt8(ascii: "t") || byte == UInt8(ascii: "f") {
      _ = try readBool()
    } else if try !readNull() {
      return false
    }
    index = position
    return true
  }

  /// Skips a list of numbers.
  private func skipPlainNumbers(_ index: inout Int) -> Bool {
    guard depth < Self.maximumDepth else { return false }
    repeat {
      index += 1
      guard index < end, skipPlainNumber(&index), index < end else { return false }
    } while base[index] == UInt8(ascii: ",")
    index += 1
    return base[index - 1] == UInt8(ascii: "]")
  }

  /// Skips a string, with plain ASCII text eight bytes at a time.
  @inline(__always)
  private mutating func skipString(_ index: inout Int) throws(JSONError) {
    let quote = endOfPlainText(from: index + 1)
    if quote < end, base[quote] == UInt8(ascii: "\"") {
      index = quote + 1
    } else {
      move(to: index)
      _ = try readText()
      index = position
    }
  }

  /// Skips a number without an exponent.
  @inline(__always)
  private func skipPlainNumber(_ index: inout Int) -> Bool {
    if base[index] == UInt8(ascii: "-") { index += 1 }
    let start = index
    skipPlainDigits(&index)
    guard index > start, index < end, base[start] != UInt8(ascii: "0") || index == start + 1 else {
      return false
    }
    guard base[index] == UInt8(ascii: ".") else { return true }
    index += 1
    let point = index
    skipPlainDigits(&index)
    return index > point
  }

  @inline(__always)
  private func skipPlainDigits(_ index: inout Int) {
    while end - index >= 8 {
      let count = TextWord.digitCount(TextWord.load(base + index))
      index += count
      if count < 8 { return }
    }
    while index < end, base[index] &- UInt8(ascii: "0") <= 9 { index += 1 }
  }
}
