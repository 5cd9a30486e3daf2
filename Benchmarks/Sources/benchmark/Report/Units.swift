import Foundation

/// Numbers as people read them.
enum Units {
  /// A time in the unit that fits: 14 ns, 3.21 µs, 12.6 ms.
  static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e3: rounded(nanoseconds) + " ns"
    case ..<1e6: rounded(nanoseconds / 1e3) + " µs"
    case ..<1e9: rounded(nanoseconds / 1e6) + " ms"
    default: rounded(nanoseconds / 1e9) + " s"
    }
  }

  /// A ratio with two digits behind the point.
  static func ratio(_ value: Double) -> String { String(format: "%.2f×", value) }

  /// Bytes in millions.
  static func bytes(_ count: Int) -> String { String(format: "%.1f MB", Double(count) / 1e6) }

  /// Bytes of one object.
  static func bytesEach(_ count: Double) -> String { String(format: "%.0f bytes", count) }

  /// A number with commas: 1,000,000.
  static func count(_ number: Int) -> String {
    let digits = Array(String(number))
    return digits.indices.map { index in
      let isGroup = index > 0 && (digits.count - index).isMultiple(of: 3)
      return (isGroup ? "," : "") + String(digits[index])
    }.joined()
  }

  private static func rounded(_ value: Double) -> String {
    String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
  }

  /// A text filled up with spaces.
  static func padded(_ text: String, _ width: Int, toLeft: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - text.count))
    return toLeft ? spaces + text : text + spaces
  }
}
