import StoreProtocol
import StructuredText

/// Keys as a JSON list, the form in which SQLite reads and stores lists.
enum KeyList {
  static func encoded(_ keys: some Collection<Int64>) -> String {
    // A key has at most 20 characters and a comma.
    String(unsafeUninitializedCapacity: keys.count * 21 + 2) { text in
      var end = 0
      func append(_ byte: UInt8) {
        text.initializeElement(at: end, to: byte)
        end += 1
      }
      append(UInt8(ascii: "["))
      for key in keys {
        if end > 1 { append(UInt8(ascii: ",")) }
        if key < 0 { append(UInt8(ascii: "-")) }
        var rest = key.magnitude
        let start = end
        repeat {
          append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
          rest /= 10
        } while rest > 0
        text[start..<end].reverse()
      }
      append(UInt8(ascii: "]"))
      return end
    }
  }

  /// Returns the keys of a list; other elements are left out.
  static func decoded(_ text: String) -> [Int64] {
    guard case .array(let values)? = try? JSONText.decoded(text) else { return [] }
    return values.compactMap { if case .integer(let key) = $0 { key } else { nil } }
  }
}

extension Statement {
  /// Binds the first parameter to a single key, or to a list of several.
  ///
  /// The statement for a single key compares with `=`, which is faster.
  func bind(keys: [Int64]) throws(SQLiteError) {
    if keys.count == 1 {
      try bind(keys[0], at: 1)
    } else {
      try bind(KeyList.encoded(keys), at: 1)
    }
  }
}
