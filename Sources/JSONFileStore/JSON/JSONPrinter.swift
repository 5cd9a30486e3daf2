/// Writes JSON text to bytes.
///
/// The caller writes the punctuation; the printer defines the form of values. `JSONScanner` reads
/// them back exactly.
///
/// The bytes are in the printer's own memory, because an array checks for uniqueness at each byte.
///
/// Invariant: `count <= capacity`, and the first `count` bytes from `start` are initialized. Any
/// code that writes calls ``reserve(_:)`` for as many bytes first.
struct JSONPrinter: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// The number of bytes that were written.
  private(set) var count = 0

  private static let hexDigits: StaticString = "0123456789abcdef"
  private static let digitPairs: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748\
    49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697\
    9899
    """

  init(capacity: Int = 512) {
    start = .allocate(capacity: max(capacity, 1))
    self.capacity = max(capacity, 1)
  }

  deinit {
    start.deallocate()
  }

  /// The bytes that were written.
  var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

  /// Provides access to the bytes that were written.
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Removes all bytes.
  mutating func removeAll() { count = 0 }

  /// Reserves memory for more bytes.
  @inline(__always)
  mutating func reserve(_ room: Int) {
    if capacity - count < room { grow(by: room) }
  }

  private mutating func grow(by room: Int) {
    let greater = max(capacity * 2, count + room)
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: greater)
    bytes.initialize(from: start, count: count)
    start.deallocate()
    (start, capacity) = (bytes, greater)
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    start[count] = byte
    count += 1
  }

  /// Appends JSON text.
  @inline(__always)
  mutating func append(json: StaticString) {
    append(json: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
  }

  /// Appends bytes of JSON text.
  @inline(__always)
  mutating func append(json: [UInt8]) {
    json.withUnsafeBufferPointer { append(json: $0) }
  }

  /// Appends bytes of JSON text.
  @inline(__always)
  mutating func append(json: UnsafeBufferPointer<UInt8>) {
    guard let first = json.baseAddress else { return }
    reserve(json.count)
    (start + count).initialize(from: first, count: json.count)
    count += json.count
  }

  /// Appends bytes of JSON text, in memory that extends to the end of their last word.
  @inline(__always)
  mutating func append(words json: UnsafeBufferPointer<UInt8>) {
    guard let first = json.baseAddress else { return }
    reserve(json.count + 8)
    var index = 0
    while index < json.count {
      let word = UnsafeRawPointer(first + index).loadUnaligned(as: UInt64.self)
      UnsafeMutableRawPointer(start + count + index).storeBytes(of: word, as: UInt64.self)
      index += 8
    }
    count += json.count
  }

  @inline(__always)
  mutating func append(_ value: Bool) {
    if value { append(json: "true") } else { append(json: "false") }
  }

  /// Appends an integer.
  @inline(__always)
  mutating func append(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(value.magnitude, digits: value.magnitude.digitCount)
  }

  /// Appends an integer.
  mutating func append(_ value: UInt64) { append(value, digits: value.digitCount) }

  /// Appends an integer with a number of digits, including leading zeros.
  @inline(__always)
  mutating func append(_ value: UInt64, digits: Int) {
    reserve(digits)
    var position = count + digits
    var rest = value
    while position - count >= 2 {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      position -= 2
      start[position] = Self.digitPairs.utf8Start[Int(pair) * 2]
      start[position + 1] = Self.digitPairs.utf8Start[Int(pair) * 2 + 1]
      rest = quotient
    }
    if position > count {
      start[position - 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
    }
    count += digits
  }

  /// Appends a finite number with the fewest digits that are read as the same number.
  ///
  /// It always has a fraction or an exponent, which distinguishes it from an integer.
  mutating func append(_ value: Double) {
    let magnitude = value.magnitude
    // A decimal of at most 15 digits that is read as the same number is the shortest one. Smaller
    // and larger numbers have an exponent.
    if magnitude < 1e9, magnitude >= 1e-4 || magnitude == 0 {
      let millionths = (magnitude * 1e6).rounded()
      if millionths / 1e6 == magnitude {
        return append(UInt64(millionths), isNegative: value.sign == .minus)
      }
    }
    var text = value.description
    text.withUTF8 { append(json: $0) }
  }

  private mutating func append(_ millionths: UInt64, isNegative: Bool) {
    if isNegative { append(UInt8(ascii: "-")) }
    let (whole, fraction) = millionths.quotientAndRemainder(dividingBy: 1_000_000)
    append(whole)
    append(UInt8(ascii: "."))
    append(fraction, digits: 6)
    let least = count - 5
    while count > least, start[count - 1] == UInt8(ascii: "0") { count -= 1 }
  }

  /// Appends a string with its quotes and the required escapes.
  mutating func append(_ string: String) {
    append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { append(escaping: $0) }
    append(UInt8(ascii: "\""))
  }

  /// Appends the bytes of a string, eight at a time if none of them needs an escape.
  private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
    guard let base = text.baseAddress else { return }
    reserve(text.count)
    if text.count >= 8, appendPlain(base, text.count) { return }
    var index = 0
    while text.count - index >= 8 {
      let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
      UnsafeMutableRawPointer(start + count).storeBytes(of: word, as: UInt64.self)
      let plain = TextWord.plainCount(word.littleEndian)
      count += plain
      index += plain
      if plain < 8 { index = appendEscape(text, index) }
    }
    while index < text.count {
      if TextWord.mustEscape(text[index]) {
        index = appendEscape(text, index)
      } else {
        append(text[index])
        index += 1
      }
    }
  }

  /// Appends a text of at least eight bytes to reserved memory, if none of them needs an escape.
  @inline(__always)
  private mutating func appendPlain(_ base: UnsafePointer<UInt8>, _ size: Int) -> Bool {
    let target = UnsafeMutableRawPointer(start + count)
    // The last word may overlap the one before it.
    let last = size - 8
    var index = 0
    while true {
      let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
      guard TextWord.plainCount(word.littleEndian) == 8 else { return false }
      (target + index).storeBytes(of: word, as: UInt64.self)
      if index == last { break }
      index = min(index + 8, last)
    }
    count += size
    return true
  }

  /// Appends a byte of a text as an escape, reserves memory for the rest, and returns the next
  /// index.
  private mutating func appendEscape(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int {
    let byte = text[index]
    reserve(6 + text.count - index)
    append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
    case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
    case 0x20...: append(byte)
    default:
      append(json: "u00")
      append(Self.hexDigits.utf8Start[Int(byte >> 4)])
      append(Self.hexDigits.utf8Start[Int(byte & 15)])
    }
    return index + 1
  }
}

extension UInt64 {
  /// The number of decimal digits.
  @inline(__always)
  var digitCount: Int {
    var digits = 1
    var limit: UInt64 = 10
    while digits < 20, self >= limit {
      digits += 1
      limit &*= 10
    }
    return digits
  }
}
