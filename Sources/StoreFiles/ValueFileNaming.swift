import StoreProtocol

/// The names of one store's value files.
///
/// A name is 64 random bits followed by a 64-bit hash of the store's identifier and these bits. A
/// store can therefore prove that it created a name, without a list of names and without a marker
/// in the folder. A file of another program with a name of 32 hexadecimal digits fails the test.
struct ValueFileNaming: Sendable {
  /// The identifier of the store.
  let store: String

  /// Returns a name that no file ever had.
  func newName() -> String {
    let random = UInt64.random(in: .min ... .max).hexadecimal
    return random + proof(of: random)
  }

  /// Returns whether this store created a name.
  func isOwn(_ name: String) -> Bool {
    guard FileReference.isName(name) else { return false }
    return name.hasSuffix(proof(of: String(name.prefix(16))))
  }

  private func proof(of random: String) -> String {
    SipHash.hash(of: Array("\(store)/\(random)".utf8)).hexadecimal
  }
}

/// SipHash-2-4 with a fixed key: the same hash in every process, unlike Swift's own.
enum SipHash {
  static func hash(of bytes: [UInt8], key: (UInt64, UInt64) = (0, 0)) -> UInt64 {
    var state = State(key)
    var word: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      word |= UInt64(byte) << UInt64(8 * (index % 8))
      if index % 8 == 7 {
        state.add(word)
        word = 0
      }
    }
    state.add(word | UInt64(truncatingIfNeeded: bytes.count) << 56)
    return state.end()
  }

  private struct State {
    private var v: SIMD4<UInt64>

    init(_ key: (UInt64, UInt64)) {
      v = SIMD4(
        key.0 ^ 0x736f_6d65_7073_6575,
        key.1 ^ 0x646f_7261_6e64_6f6d,
        key.0 ^ 0x6c79_6765_6e65_7261,
        key.1 ^ 0x7465_6462_7974_6573
      )
    }

    mutating func add(_ word: UInt64) {
      v[3] ^= word
      rounds(2)
      v[0] ^= word
    }

    mutating func end() -> UInt64 {
      v[2] ^= 0xff
      rounds(4)
      return v[0] ^ v[1] ^ v[2] ^ v[3]
    }

    private mutating func rounds(_ count: Int) {
      for _ in 0..<count {
        v[0] &+= v[1]
        v[1] = Self.rotated(v[1], 13) ^ v[0]
        v[0] = Self.rotated(v[0], 32)
        v[2] &+= v[3]
        v[3] = Self.rotated(v[3], 16) ^ v[2]
        v[0] &+= v[3]
        v[3] = Self.rotated(v[3], 21) ^ v[0]
        v[2] &+= v[1]
        v[1] = Self.rotated(v[1], 17) ^ v[2]
        v[2] = Self.rotated(v[2], 32)
      }
    }

    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
      word << count | word >> (64 - count)
    }
  }
}
