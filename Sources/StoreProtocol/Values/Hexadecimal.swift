extension FixedWidthInteger where Self: UnsignedInteger {
  /// The lowercase hexadecimal digits of all bits, at most 64, including leading zeros.
  package var hexadecimal: String {
    // Of a known type, so that the loop is no generic code.
    var rest = UInt64(truncatingIfNeeded: self)
    let count = Self.bitWidth / 4
    return String(unsafeUninitializedCapacity: count) { text in
      for index in (0..<count).reversed() {
        let digit = UInt8(truncatingIfNeeded: rest & 15)
        text[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        rest >>= 4
      }
      return count
    }
  }
}
