/// Core Data compresses the model in its stores this way.
package struct Inflater {
  private var reader: BitReader
  private var output: [UInt8] = []
  private let maximumSize: Int

  /// Returns the decompressed bytes.
  ///
  /// Bytes after the last block are ignored.
  ///
  /// - Throws: ``FormatError`` if the data is damaged, ends too early or exceeds the maximum size.
  /// - Complexity: O(*n* + *m*), where *n* is the size of the data and *m* that of the result.
  package static func inflate(
    _ data: [UInt8],
    maximumSize: Int = ReadingLimits().size
  ) throws(FormatError) -> [UInt8] {
    var inflater = Inflater(reader: BitReader(data), maximumSize: maximumSize)
    while try !inflater.readBlock() {}
    return inflater.output
  }

  /// Reads a block.
  ///
  /// - Returns: Whether it was the last one.
  private mutating func readBlock() throws(FormatError) -> Bool {
    let isLast = try reader.bits(1) == 1
    switch try reader.bits(2) {
    case 0: try readStored()
    case 1: try readCompressed(literals: DeflateTables.literals, distances: DeflateTables.distances)
    case 2:
      let (literals, distances) = try readCodes()
      try readCompressed(literals: literals, distances: distances)
    default: throw FormatError(.deflate, "a block has an unknown type", at: reader.offset)
    }
    return isLast
  }

  private mutating func readStored() throws(FormatError) {
    let header = [UInt8](try reader.bytes(4))
    let size = Int(header[0]) | Int(header[1]) << 8
    guard size ^ 0xFFFF == Int(header[2]) | Int(header[3]) << 8 else {
      throw FormatError(.deflate, "a stored block has a wrong length", at: reader.offset)
    }
    try reserve(size)
    output += try reader.bytes(size)
  }

  private mutating func readCompressed(
    literals: HuffmanCode,
    distances: HuffmanCode
  ) throws(FormatError) {
    while true {
      let symbol = try reader.symbol(of: literals)
      if symbol < 256 {
        try reserve(1)
        output.append(UInt8(symbol))
      } else if symbol == 256 {
        return
      } else {
        try readCopy(lengthSymbol: symbol - 257, distances: distances)
      }
    }
  }

  private mutating func readCopy(
    lengthSymbol: Int,
    distances: HuffmanCode
  ) throws(FormatError) {
    guard lengthSymbol < DeflateTables.lengthBases.count else {
      throw FormatError(.deflate, "a length is unknown", at: reader.offset)
    }
    let length =
      DeflateTables.lengthBases[lengthSymbol]
      + (try reader.bits(DeflateTables.lengthBits[lengthSymbol]))
    let symbol = try reader.symbol(of: distances)
    guard symbol < DeflateTables.distanceBases.count else {
      throw FormatError(.deflate, "a distance is unknown", at: reader.offset)
    }
    let distance =
      DeflateTables.distanceBases[symbol]
      + (try reader.bits(DeflateTables.distanceBits[symbol]))
    guard distance <= output.count else {
      throw FormatError(.deflate, "a copy begins before the data", at: reader.offset)
    }
    try reserve(length)
    let start = output.count - distance
    // A copy may overlap what it writes.
    for index in start..<start + length { output.append(output[index]) }
  }

  /// Reads the codes of a block that includes its own.
  private mutating func readCodes() throws(FormatError) -> (HuffmanCode, HuffmanCode) {
    let literalCount = try reader.bits(5) + 257
    let distanceCount = try reader.bits(5) + 1
    let lengthCount = try reader.bits(4) + 4
    var ofLengths = [UInt8](repeating: 0, count: DeflateTables.lengthOrder.count)
    for index in DeflateTables.lengthOrder.prefix(lengthCount) {
      ofLengths[index] = UInt8(try reader.bits(3))
    }
    let code = try code(of: ofLengths[...])
    let lengths = try readLengths(literalCount + distanceCount, with: code)
    return (
      try self.code(of: lengths[..<literalCount]), try self.code(of: lengths[literalCount...])
    )
  }

  private mutating func readLengths(
    _ count: Int,
    with code: HuffmanCode
  ) throws(FormatError) -> [UInt8] {
    var lengths: [UInt8] = []
    while lengths.count < count {
      let symbol = try reader.symbol(of: code)
      switch symbol {
      case 0..<16: lengths.append(UInt8(symbol))
      case 16:
        guard let last = lengths.last else {
          throw FormatError(.deflate, "the first length repeats a missing one", at: reader.offset)
        }
        lengths += repeatElement(last, count: try reader.bits(2) + 3)
      case 17: lengths += repeatElement(0, count: try reader.bits(3) + 3)
      default: lengths += repeatElement(0, count: try reader.bits(7) + 11)
      }
    }
    guard lengths.count == count else {
      throw FormatError(.deflate, "a block has too many code lengths", at: reader.offset)
    }
    return lengths
  }

  private func code(of lengths: ArraySlice<UInt8>) throws(FormatError) -> HuffmanCode {
    guard let code = HuffmanCode(lengths: lengths) else {
      throw FormatError(.deflate, "a block has contradicting codes", at: reader.offset)
    }
    return code
  }

  private func reserve(_ count: Int) throws(FormatError) {
    guard maximumSize - output.count >= count else {
      throw FormatError(
        .deflate,
        "the decompressed data exceeds \(maximumSize) bytes",
        at: reader.offset
      )
    }
  }
}
