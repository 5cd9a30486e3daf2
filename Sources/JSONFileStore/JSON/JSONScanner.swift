/// Reads JSON text from bytes, value by value and without creating a tree.
///
/// It reads the text strictly by RFC 8259: UTF-8 without a byte order mark, no comma before a
/// closing bracket, no number that JSON lacks, no lone surrogate, and at most ``maximumDepth``
/// nested values.
///
/// Invariants:
/// 1. `0 <= position <= end`, and `end` is the number of bytes from `base`. Every read of a byte
///    first compares with `end`, so no text can cause a read outside the buffer.
/// 2. `depth` is the number of arrays and objects that were entered and not left.
///
/// The bytes must outlive the scanner: create it inside `withUnsafeBytes`.
struct JSONScanner {
  /// The maximum nesting depth of values.
  static let maximumDepth = 64

  let base: UnsafePointer<UInt8>
  let end: Int
  /// The index of the next byte.
  private(set) var position: Int
  var depth = 0

  /// The bytes of an empty buffer, which are not read.
  private static let empty: StaticString = ""

  /// Creates a scanner at a position of a buffer.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - range: The part to read, or `nil` for all of it; parts outside the buffer are ignored.
  init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>? = nil) {
    base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Self.empty.utf8Start
    let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
    position = range.lowerBound
    end = range.upperBound
  }

  /// The next byte, or `nil` at the end.
  @inline(__always)
  var next: UInt8? { position < end ? base[position] : nil }

  @inline(__always)
  mutating func advance(by count: Int = 1) {
    position = min(position + count, end)
  }

  @inline(__always)
  mutating func move(to newPosition: Int) {
    position = max(0, min(newPosition, end))
  }

  /// Skips whitespace, and returns the byte after it.
  @inline(__always)
  mutating func nextToken() throws(JSONError) -> UInt8 {
    while position < end {
      let byte = base[position]
      if byte > 0x20 { return byte }
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
      position += 1
    }
    throw unexpected("a value")
  }

  /// Reads a byte that must come next, after whitespace.
  @inline(__always)
  mutating func expect(_ byte: UInt8) throws(JSONError) {
    guard try nextToken() == byte else {
      throw unexpected("\"\(Character(UnicodeScalar(byte)))\"")
    }
    position += 1
  }

  /// Throws unless only whitespace remains.
  mutating func finish() throws(JSONError) {
    while let byte = next {
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
        throw error(isAtConflictMarker ? .conflictMarker : .trailingText)
      }
      position += 1
    }
  }

  /// Enters an array.
  mutating func beginArray() throws(JSONError) {
    guard try nextToken() == UInt8(ascii: "[") else { throw unexpected("an array") }
    try enter()
  }

  /// Enters an object.
  mutating func beginObject() throws(JSONError) {
    guard try nextToken() == UInt8(ascii: "{") else { throw unexpected("an object") }
    try enter()
  }

  /// Skips the bracket that opens an array or object.
  @inline(__always)
  mutating func enter() throws(JSONError) {
    guard depth < Self.maximumDepth else { throw error(.depth) }
    depth += 1
    position += 1
  }

  /// Skips the bracket that closes an array or object.
  @inline(__always)
  mutating func leave() {
    depth -= 1
    position += 1
  }

  /// Moves to the next element of an array, or leaves the array and returns `false` if there is
  /// none.
  ///
  /// `isFirst` must be true before the first call; this method updates it.
  @inline(__always)
  mutating func nextElement(_ isFirst: inout Bool) throws(JSONError) -> Bool {
    try nextItem(&isFirst, closing: UInt8(ascii: "]"))
  }

  /// Moves to the value of the next member of an object and returns its key.
  ///
  /// If there is none, the scanner leaves the object, and the result is `nil`.
  ///
  /// `isFirst` must be true before the first call; this method updates it.
  @inline(__always)
  mutating func nextMember(_ isFirst: inout Bool) throws(JSONError) -> JSONText? {
    guard try nextItem(&isFirst, closing: UInt8(ascii: "}")) else { return nil }
    guard try nextToken() == UInt8(ascii: "\"") else { throw unexpected("a key") }
    let key = try readText()
    try expect(UInt8(ascii: ":"))
    return key
  }

  @inline(__always)
  private mutating func nextItem(
    _ isFirst: inout Bool,
    closing: UInt8
  ) throws(JSONError) -> Bool {
    let byte = try nextToken()
    if byte == closing {
      leave()
      return false
    }
    if isFirst {
      isFirst = false
    } else {
      guard byte == UInt8(ascii: ",") else { throw unexpected("a comma or the end") }
      position += 1
      if try nextToken() == closing { throw unexpected("a value") }
    }
    return true
  }

  /// Returns an error at the current position.
  func error(_ reason: JSONError.Reason) -> JSONError { error(reason, at: position) }

  func error(_ reason: JSONError.Reason, at offset: Int) -> JSONError {
    var line = 1
    var column = 1
    for index in 0..<min(max(offset, 0), end) {
      let byte = base[index]
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return JSONError(reason: reason, offset: offset, line: line, column: column)
  }

  /// Whether a line begins here with seven equal characters, as git marks the sides of a conflict.
  private var isAtConflictMarker: Bool {
    guard end - position >= 7, position == 0 || base[position - 1] == 0x0A,
      "<|=>".utf8.contains(base[position])
    else { return false }
    return (position..<position + 7).allSatisfy { base[$0] == base[position] }
  }

  /// Returns an error about the byte at the current position.
  func unexpected(_ expected: String) -> JSONError {
    guard let next else { return error(.unexpectedEnd) }
    if isAtConflictMarker { return error(.conflictMarker) }
    return error(.unexpected(next, expected: expected))
  }
}
