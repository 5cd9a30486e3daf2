/// A canonical Huffman code of DEFLATE (RFC 1951, section 3.2.2).
///
/// Codes of one length are consecutive numbers, and longer codes are larger when all are aligned to
/// the left of 15 bits. So the length of a code is the first whose upper limit exceeds the next 15
/// bits of the input, and its symbol follows by subtraction.
struct HuffmanCode {
  static let maximumLength = 15
  /// The symbols in the order of their codes.
  private var symbols: [UInt16]
  /// For each length, the end of its codes, aligned to the left of 15 bits.
  private var limits = [UInt32](repeating: 0, count: maximumLength + 1)
  /// For each length, the number to add to a code for the index of its symbol.
  private var offsets = [Int](repeating: 0, count: maximumLength + 1)

  /// Creates a code from the length of each symbol's code; 0 for symbols that do not occur.
  ///
  /// - Returns: `nil` if the lengths require more codes than there are.
  init?(lengths: ArraySlice<UInt8>) {
    var counts = [Int](repeating: 0, count: Self.maximumLength + 1)
    for length in lengths where length > 0 { counts[Int(length)] += 1 }
    var starts = [Int](repeating: 0, count: Self.maximumLength + 1)
    var code = 0
    var index = 0
    for length in 1...Self.maximumLength {
      code <<= 1
      starts[length] = index
      offsets[length] = index - code
      code += counts[length]
      index += counts[length]
      guard code <= 1 << length else { return nil }
      limits[length] = UInt32(code) << UInt32(Self.maximumLength - length)
    }
    symbols = [UInt16](repeating: 0, count: index)
    for (symbol, length) in lengths.enumerated() where length > 0 {
      symbols[starts[Int(length)]] = UInt16(symbol)
      starts[Int(length)] += 1
    }
  }

  /// Finds the symbol at the beginning of 15 bits, the first of which is the highest.
  ///
  /// - Returns: The symbol and the length of its code, or `nil` if no code matches.
  func symbol(for bits: UInt32) -> (symbol: Int, length: Int)? {
    for length in 1...Self.maximumLength where bits < limits[length] {
      let code = Int(bits >> UInt32(Self.maximumLength - length))
      return (Int(symbols[code + offsets[length]]), length)
    }
    return nil
  }
}
