/// The CRC-32C checksum (Castagnoli, as in RFC 3720), computed sixteen bytes at a time.
package struct CRC32C: Hashable, Sendable {
  private var state: UInt32 = ~0

  /// Creates an empty checksum.
  package init() {}

  /// The checksum of the bytes so far.
  package var value: UInt32 { ~state }

  /// Sixteen tables of 256 entries: entry `[256 * k + b]` is the effect of byte `b`, `k` bytes
  /// before the end.
  private static let tables: [UInt32] = {
    var tables: [UInt32] = []
    for byte in UInt32(0)..<256 {
      var state = byte
      for _ in 0..<8 {
        let carry: UInt32 = state & 1 == 1 ? 0x82F6_3B78 : 0
        state = (state >> 1) ^ carry
      }
      tables.append(state)
    }
    for index in 256..<16 * 256 {
      let previous = tables[index - 256]
      tables.append((previous >> 8) ^ tables[Int(previous & 0xFF)])
    }
    return tables
  }()

  package static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    var checksum = CRC32C()
    checksum.update(bytes)
    return checksum.value
  }

  /// The effect of appending a number of bytes on the checksum of the preceding bytes.
  package struct Extension: Sendable {
    /// The power of *x* by which the checksum is multiplied, modulo the polynomial.
    private let factor: UInt32

    /// Creates the extension by a number of bytes.
    ///
    /// - Complexity: O(log *n*).
    package init(byteCount: Int) {
      var (factor, square, bits) = (UInt32(1) << 31, UInt32(1) << 30, UInt64(byteCount) << 3)
      while bits > 0 {
        if bits & 1 == 1 { factor = Self.product(factor, square) }
        square = Self.product(square, square)
        bits >>= 1
      }
      self.factor = factor
    }

    /// Returns the checksum of two parts, of which the second has the extension's length.
    package func joined(_ first: UInt32, _ second: UInt32) -> UInt32 {
      Self.product(factor, first) ^ second
    }

    private static func product(_ first: UInt32, _ second: UInt32) -> UInt32 {
      var (product, rest) = (UInt32(0), second)
      for bit in (UInt32(0)..<32).reversed() {
        if first >> bit & 1 == 1 { product ^= rest }
        rest = (rest >> 1) ^ (rest & 1 == 1 ? 0x82F6_3B78 : 0)
      }
      return product
    }
  }

  /// Appends bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var state = state
    Self.tables.withUnsafeBufferPointer { tables in
      var index = 0
      while bytes.count - index >= 16 {
        // The second half does not depend on the first word, so both are computed in parallel.
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
        let next = bytes.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self).littleEndian
        state = Self.effect(of: next, 0, tables) ^ Self.effect(of: word ^ UInt64(state), 8, tables)
        index += 16
      }
      while index < bytes.count {
        state = (state >> 8) ^ tables[Int((state ^ UInt32(bytes[index])) & 0xFF)]
        index += 1
      }
    }
    self.state = state
  }

  /// Returns the effect of a word's eight bytes when a number of bytes follows them.
  @inline(__always)
  private static func effect(
    of word: UInt64,
    _ following: Int,
    _ tables: UnsafeBufferPointer<UInt32>
  ) -> UInt32 {
    @inline(__always)
    func effect(_ byte: Int) -> UInt32 {
      let value = Int(truncatingIfNeeded: (word >> UInt64(8 * byte)) & 0xFF)
      return tables[256 * (following + 7 - byte) + value]
    }
    return ((effect(0) ^ effect(1)) ^ (effect(2) ^ effect(3)))
      ^ ((effect(4) ^ effect(5)) ^ (effect(6) ^ effect(7)))
  }
}
