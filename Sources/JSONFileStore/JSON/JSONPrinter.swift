/// Writes JSON text to bytes.
///
/// The caller puts the punctuation; the printer knows how values are written. What it writes,
/// `JSONScanner` reads back exactly.
struct JSONPrinter {
  /// What was written.
  var bytes: [UInt8] = []

  private static let hexDigits = Array("0123456789abcdef".utf8)

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Appends text that is JSON already.
  @inline(__always)
  mutating func append(json: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount)
    )
  }

  /// Appends bytes that are JSON already.
  @inline(__always)
  mutating func append(json: [UInt8]) {
    bytes.append(contentsOf: json)
  }

  /// Appends bytes that are JSON already.
  @inline(__always)
  mutating func append(json: UnsafeBufferPointer<UInt8>) {
    bytes.append(contentsOf: json)
  }

  @inline(__always)
  mutating func append(_ value: Bool) {
    if value { append(json: "true") } else { append(json: "false") }
  }

  /// Appends a whole number.
  @inline(__always)
  mutating func append(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(value.magnitude)
  }

  /// Appends a whole number.
  mutating func append(_ value: UInt64) {
    if value < 10 { return append(UInt8(ascii: "0") + UInt8(value)) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = value
      var first = 20
      repeat {
        first -= 1
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        digits.initializeElement(at: first, to: UInt8(ascii: "0") + UInt8(digit))
        rest = quotient
      } while rest != 0
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
    }
  }

  /// Appends a number below 100 with a zero before it where it is below 10.
  @inline(__always)
  mutating func append(twoDigits value: Int) {
    append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / 10))
    append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10))
  }

  /// Appends a whole number with zeros before it.
  mutating func append(_ value: Int, digits: Int) {
    var power = 1
    for _ in 1..<max(digits, 1) { power *= 10 }
    var rest = value
    while power > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / power % 10))
      rest %= power
      power /= 10
    }
  }

  /// Appends a finite number with the fewest digits that read back as the same number.
  ///
  /// A fraction or an exponent is always there, so that the number is told from a whole one.
  mutating func append(_ value: Double) {
    let magnitude = value.magnitude
    if magnitude < 1e12 {
      // A decimal of at most 15 digits that reads back as the number is the shortest there is.
      let thousandths = (magnitude * 1000).rounded()
      if thousandths / 1000 == magnitude {
        return append(UInt64(thousandths), isNegative: value.sign == .minus)
      }
    }
    var text = value.description
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ thousandths: UInt64, isNegative: Bool) {
    if isNegative { append(UInt8(ascii: "-")) }
    let (whole, fraction) = thousandths.quotientAndRemainder(dividingBy: 1000)
    append(whole)
    append(UInt8(ascii: "."))
    let digits = (fraction / 100, fraction / 10 % 10, fraction % 10)
    append(UInt8(ascii: "0") + UInt8(digits.0))
    if digits.1 == 0 && digits.2 == 0 { return }
    append(UInt8(ascii: "0") + UInt8(digits.1))
    if digits.2 != 0 { append(UInt8(ascii: "0") + UInt8(digits.2)) }
  }

  /// Appends a string with its quotes, escaping what must be.
  mutating func append(_ string: String) {
    append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { text in
      var start = 0
      for index in 0..<text.count where Self.mustEscape(text[index]) {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
        appendEscape(text[index])
        start = index + 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }
    append(UInt8(ascii: "\""))
  }

  @inline(__always)
  private static func mustEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func appendEscape(_ byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
    case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
    case 0x20...: append(byte)
    default:
      append(json: "u00")
      append(Self.hexDigits[Int(byte >> 4)])
      append(Self.hexDigits[Int(byte & 15)])
    }
  }
}
