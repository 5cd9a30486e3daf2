/// Reads bits from bytes, the lowest bit of each byte first, as DEFLATE stores them.
struct BitReader {
  private let bytes: [UInt8]
  private var position = 0
  private var buffer: UInt32 = 0
  private var buffered = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The offset of the byte that is read next.
  var offset: Int { position - buffered / 8 }

  /// Reads a number of up to 16 bits, whose lowest bit comes first.
  mutating func bits(_ count: Int) throws(FormatError) -> Int {
    fill()
    guard buffered >= count else { throw endOfData() }
    let value = buffer & (1 << UInt32(count) - 1)
    drop(count)
    return Int(value)
  }

  /// Reads a symbol of a code, whose highest bit comes first.
  mutating func symbol(of code: HuffmanCode) throws(FormatError) -> Int {
    fill()
    // Bits after the end read as zeros; a symbol that needs them is refused below.
    guard
      let found = code.symbol(for: UInt32(Self.reversed(UInt16(truncatingIfNeeded: buffer)) >> 1))
    else { throw FormatError(.deflate, "no symbol has this code", at: offset) }
    guard found.length <= buffered else { throw endOfData() }
    drop(found.length)
    return found.symbol
  }

  /// Reads bytes from the next boundary of a byte.
  mutating func bytes(_ count: Int) throws(FormatError) -> ArraySlice<UInt8> {
    position = offset
    buffer = 0
    buffered = 0
    guard bytes.count - position >= count else { throw endOfData() }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func fill() {
    while buffered <= 16, position < bytes.count {
      buffer |= UInt32(bytes[position]) << UInt32(buffered)
      position += 1
      buffered += 8
    }
  }

  private mutating func drop(_ count: Int) {
    buffer >>= UInt32(count)
    buffered -= count
  }

  private func endOfData() -> FormatError {
    FormatError(.deflate, "the data ends too early", at: bytes.count)
  }

  private static func reversed(_ value: UInt16) -> UInt16 {
    var value = value
    value = (value & 0x5555) << 1 | (value >> 1) & 0x5555
    value = (value & 0x3333) << 2 | (value >> 2) & 0x3333
    value = (value & 0x0F0F) << 4 | (value >> 4) & 0x0F0F
    return value.byteSwapped
  }
}
