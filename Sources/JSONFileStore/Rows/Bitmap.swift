/// A set of small nonnegative integers, one bit each; empty sets take no memory.
struct Bitmap: Sendable {
  private var words: [UInt64] = []

  /// Whether the set has never contained a number.
  var wasAlwaysEmpty: Bool { words.isEmpty }

  @inline(__always)
  func contains(_ index: Int) -> Bool {
    let word = index >> 6
    return word < words.count && words[word] >> UInt64(index & 63) & 1 == 1
  }

  /// Provides access to the words; the first word's low bits represent the smallest numbers.
  func withWords<Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt64>) throws(Failure) -> Void
  ) throws(Failure) {
    try words.withUnsafeBufferPointer(body)
  }

  /// Inserts the numbers of another set, each increased by a distance.
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
