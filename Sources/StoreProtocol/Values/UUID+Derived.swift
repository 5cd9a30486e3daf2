import Foundation

extension UUID {
  /// Creates the deterministic identifier of a save from before stores recorded identifiers.
  ///
  /// - Parameters:
  ///   - number: The number of the save.
  ///   - store: The identifier of its store.
  package init(ofSave number: Int64, in store: String) {
    self.init(derivedFrom: "\(store)/\(number)")
  }

  /// Creates an identifier from a string, deterministic for equal bytes.
  ///
  /// It combines two 64-bit Fowler-Noll-Vo hashes with different initial values. They distinguish
  /// saves and are not cryptographic.
  package init(derivedFrom text: String) {
    var bits: (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x9e37_79b9_7f4a_7c15)
    for byte in text.utf8 {
      bits.0 = (bits.0 ^ UInt64(byte)) &* 0x100_0000_01b3
      bits.1 = (bits.1 ^ UInt64(byte)) &* 0x100_0000_01b3
      bits.1 ^= bits.1 >> 29
    }
    // The version of RFC 9562 for custom forms, and its variant.
    self.init(bits, version: 8)
  }
}
