/// A set of small numbers, one bit each; empty sets take no memory.
struct Bitmap: Sendable {
  private var words: [UInt64] = []

  /// Whether no number was ever in the set.
  var wasAlwaysEmpty: Bool { words.isEmpty }

  @inline(__always)
  func contains(_ index: Int) -> Bool {
    let word = index >> 6
    return word < words.count && words[word] >> UInt64(index & 63) & 1 == 1
  }

  /// Lends the words, of which the first has the least numbers in its low bits.
  func withWords<Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt64>) throws(Failure) -> Void
  ) throws(Failure) {
    try words.withUnsafeBufferPointer(body)
  }

  /// Takes in the numbers of another set, each raised by a number.
  mutating func formUnion(_ other: Bitmap, raisedBy distance: Int) {
    for (position, word) in other.words.enumerated() {
      var rest = word
      while rest != 0 {
        insert(position << 6 + rest.trailingZeroBitCount + distance)
        rest &= rest - 1
      }
    }
  }

  mutating func insert(_ index: Int) {
    let word = index >> 6
    while words.count <= word { words.append(0) }
    words[word] |= 1 << UInt64(index & 63)
  }

  @inline(__always)
  mutating func remove(_ index: Int) {
    let word = index >> 6
    if word < words.count { words[word] &= ~(1 << UInt64(index & 63)) }
  }
}
