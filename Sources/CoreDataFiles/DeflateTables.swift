/// The constants of DEFLATE (RFC 1951, sections 3.2.5 to 3.2.7).
enum DeflateTables {
  /// The shortest length of each length symbol, from 257 on.
  static let lengthBases = bases(extraBits: lengthBits.dropLast(), first: 3) + [258]
  /// The number of bits after each length symbol.
  static let lengthBits = [0, 0, 0, 0, 0, 0, 0, 0] + (4..<24).map { $0 / 4 } + [0]
  /// The shortest distance of each distance symbol.
  static let distanceBases = bases(extraBits: distanceBits[...], first: 1)
  /// The number of bits after each distance symbol.
  static let distanceBits = [0, 0] + (0..<28).map { $0 / 2 }
  /// The order in which the lengths of the code of code lengths are stored.
  static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// The fixed code of literals and lengths.
  static let literals = fixed(
    [UInt8](repeating: 8, count: 144) + [UInt8](repeating: 9, count: 112)
      + [UInt8](repeating: 7, count: 24) + [UInt8](repeating: 8, count: 8)
  )
  /// The fixed code of distances.
  static let distances = fixed([UInt8](repeating: 5, count: 30))

  private static func fixed(_ lengths: [UInt8]) -> HuffmanCode {
    guard let code = HuffmanCode(lengths: lengths[...]) else {
      preconditionFailure("The fixed codes of DEFLATE are complete.")
    }
    return code
  }

  /// Each base follows the numbers that the base before it reaches with its extra bits.
  private static func bases(extraBits: ArraySlice<Int>, first: Int) -> [Int] {
    var next = first
    return extraBits.map { bits in
      defer { next += 1 << bits }
      return next
    }
  }
}
