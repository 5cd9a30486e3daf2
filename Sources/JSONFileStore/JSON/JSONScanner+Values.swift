extension JSONScanner {
  /// Reads `true` or `false`.
  mutating func readBool() throws(JSONError) -> Bool {
    switch try nextToken() {
    case UInt8(ascii: "t"):
      try readWord("true")
      return true
    case UInt8(ascii: "f"):
      try readWord("false")
      return false
    default: throw unexpected("true or false")
    }
  }

  /// Reads `null` if it comes next, and returns whether it did.
  @inline(__always)
  mutating func readNull() throws(JSONError) -> Bool {
    guard try nextToken() == UInt8(ascii: "n") else { return false }
    try readWord("null")
    return true
  }

  private mutating func readWord(_ word: StaticString) throws(JSONError) {
    for index in 0..<word.utf8CodeUnitCount {
      guard let next else { throw error(.unexpectedEnd) }
      guard next == word.utf8Start[index] else { throw unexpected("\(word)") }
      advance()
    }
  }

  /// Skips a value and checks everything except duplicate keys in objects.
  ///
  /// - Returns: The bytes of the value, without surrounding whitespace.
  @discardableResult
  mutating func skipValue() throws(JSONError) -> Range<Int> {
    _ = try nextToken()
    let start = position
    let outerDepth = depth
    // One bit for each level: whether it is an object. There are at most as many levels as bits.
    var objects: UInt64 = 0
    repeat {
      let byte = try nextToken()
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        let isObject = byte == UInt8(ascii: "{")
        let isPassed = isObject ? try skipPlainObject() : false
        if !isPassed {
          try enter()
          objects = objects << 1 | (isObject ? 1 : 0)
          if try nextToken() != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            if isObject { try skipKey() }
            continue
          }
          leave()
          objects >>= 1
        }
      } else {
        try skipScalar(byte)
      }
      try skipEnds(down: outerDepth, &objects)
    } while depth > outerDepth
    return start..<position
  }

  /// Skips closing brackets, and the comma and the key before the next value.
  @inline(__always)
  private mutating func skipEnds(
    down outerDepth: Int,
    _ objects: inout UInt64
  ) throws(JSONError) {
    while depth > outerDepth {
      let byte = try nextToken()
      let isObject = objects & 1 == 1
      if byte == UInt8(ascii: ",") {
        advance()
        if isObject { try skipKey() }
        return
      }
      guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
        throw unexpected("a comma or the end")
      }
      leave()
      objects >>= 1
    }
  }

  @inline(__always)
  private mutating func skipKey() throws(JSONError) {
    guard try nextToken() == UInt8(ascii: "\"") else { throw unexpected("a key") }
    _ = try readText()
    try expect(UInt8(ascii: ":"))
  }

  @inline(__always)
  private mutating func skipScalar(_ byte: UInt8) throws(JSONError) {
    switch byte {
    case UInt8(ascii: "\""): _ = try readText()
    case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try readBool()
    case UInt8(ascii: "n"): _ = try readNull()
    default: try skipNumber()
    }
  }
}

/// The keys of one object, for the detection of duplicates.
struct JSONKeys {
  private var few: [String] = []
  private var many: Set<String> = []

  /// Inserts a key, or returns `false` if it is a duplicate.
  mutating func insert(_ key: String) -> Bool {
    let key = key.comparable
    if many.isEmpty {
      if few.contains(key) { return false }
      few.append(key)
      if few.count > 16 { many = Set(few) }
      return true
    }
    return many.insert(key).inserted
  }
}
