import Foundation

/// A type of Foundation whose own decoding ends the program for some values, or on some systems.
private protocol GuardedDecodable {
  /// Decodes the same form as the type's own initializer, and throws where that one traps.
  init(guarded decoder: any Decoder) throws
}

extension Decodable {
  /// Decodes a value through the containers of a decoder.
  ///
  /// Decoders call this instead of the type's own initializer, since nothing that a store contains
  /// may end the program.
  ///
  /// - Throws: The errors of the type's own initializer, and `DecodingError.dataCorrupted` for a
  ///   value that it does not check.
  package static func decoded(by decoder: any Decoder) throws -> Self {
    if let type = Self.self as? any GuardedDecodable.Type,
      let value = try type.init(guarded: decoder) as? Self
    {
      return value
    }
    return try Self(from: decoder)
  }
}

extension Decoder {
  fileprivate func corrupted(_ description: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: description))
  }
}

/// Outside of Apple's systems, releasing a set that Foundation made of a bitmap ends the program.
extension CharacterSet: GuardedDecodable {
  private enum Key: String, CodingKey { case bitmap }
  private static let planeSize = 8_192

  init(guarded decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    // A bitmap has the bits of plane 0, and then a number and the bits for each further plane.
    let bytes = try [0] + container.decode(Data.self, forKey: .bitmap)
    self.init()
    for start in stride(from: 0, to: bytes.count, by: Self.planeSize + 1) {
      guard bytes[start] <= 16 else {
        throw decoder.corrupted("the bitmap has the plane \(bytes[start]); the last one is 16")
      }
      insert(bits: bytes[start...].dropFirst().prefix(Self.planeSize), plane: bytes[start])
    }
  }

  private mutating func insert(bits: ArraySlice<UInt8>, plane: UInt8) {
    var code = UInt32(plane) << 16
    var first: UInt32?
    for byte in bits {
      for bit in 0..<8 where byte != (first == nil ? 0 : 0xFF) {
        let isMember = byte >> bit & 1 == 1
        if isMember == (first == nil) {
          if let first { insert(first...(code + UInt32(bit) - 1)) }
          first = isMember ? code + UInt32(bit) : nil
        }
      }
      code += 8
    }
    if let first { insert(first...(code - 1)) }
  }

  /// Inserts the characters of a range that may include surrogates.
  private mutating func insert(_ codes: ClosedRange<UInt32>) {
    let parts: [ClosedRange<UInt32>] = [0...0xD7FF, 0xE000...0x10_FFFF]
    for part in parts where codes.overlaps(part) {
      let range = codes.clamped(to: part)
      if let first = Unicode.Scalar(range.lowerBound), let last = Unicode.Scalar(range.upperBound) {
        insert(charactersIn: first...last)
      }
    }
  }
}

extension IndexSet: GuardedDecodable {
  private enum Key: String, CodingKey { case indexes }
  private enum RangeKey: String, CodingKey { case location, length }

  init(guarded decoder: any Decoder) throws {
    self.init()
    let container = try decoder.container(keyedBy: Key.self)
    var ranges = try container.nestedUnkeyedContainer(forKey: .indexes)
    while !ranges.isAtEnd {
      let range = try ranges.nestedContainer(keyedBy: RangeKey.self)
      let start = try range.decode(Int.self, forKey: .location)
      let count = try range.decode(Int.self, forKey: .length)
      // The greatest integer is Foundation's sign for a missing index.
      let (end, isTooLarge) = start.addingReportingOverflow(count)
      guard start >= 0, count >= 0, !isTooLarge, end < .max else {
        throw decoder.corrupted("\(count) indexes from \(start) are not a range of an index set")
      }
      insert(integersIn: start..<end)
    }
  }
}

extension URLComponents: GuardedDecodable {
  private enum Key: String, CodingKey { case scheme, port }

  init(guarded decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let scheme = try container.decodeIfPresent(String.self, forKey: .scheme) {
      let isValid = scheme.utf8.enumerated().allSatisfy { index, byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): index > 0
        default: false
        }
      }
      guard isValid, !scheme.isEmpty else { throw decoder.corrupted("the scheme is invalid") }
    }
    if let port = try container.decodeIfPresent(Int.self, forKey: .port), port < 0 {
      throw decoder.corrupted("the port \(port) is negative")
    }
    try self.init(from: decoder)
  }
}
