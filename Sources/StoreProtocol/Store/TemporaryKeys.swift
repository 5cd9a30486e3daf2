/// The keys that the rows of a batch get which came with temporary numbers, by these numbers.
///
/// Numbers are given one after the other, so that those of one batch lie close together: then a list
/// has them, otherwise a dictionary.
package struct TemporaryKeys: Equatable, Sendable {
  private static let stranger: Int64 = -1
  private static let unknown: Int64 = 0

  /// The number of the first place of `close`.
  private var first: Int64 = 0
  private var close: [Int64] = []
  private var scattered: [Int64: Int64] = [:]
  /// How many keys are known.
  private var count = 0

  /// Begins without keys.
  ///
  /// - Parameter numbers: The temporary numbers of the rows that the batch brings.
  package init(_ numbers: [Int64]) {
    guard let least = numbers.min(), let greatest = numbers.max() else { return }
    let (width, overflows) = greatest.subtractingReportingOverflow(least)
    if overflows || width / 4 > Int64(numbers.count) {
      for number in numbers { scattered[number] = Self.unknown }
    } else {
      first = least
      close = Array(repeating: Self.stranger, count: Int(width) + 1)
      for number in numbers { close[Int(number - least)] = Self.unknown }
    }
  }

  /// Whether no key is known.
  package var isEmpty: Bool { count == 0 }

  /// Whether the batch brings a row of a number.
  package func contains(_ number: Int64) -> Bool { entry(number) != Self.stranger }

  /// The key of a number, nil where it is not known.
  package subscript(number: Int64) -> Int64? {
    let key = entry(number)
    return key > 0 ? key : nil
  }

  /// Notes the key of a row of the batch.
  package mutating func set(_ key: Int64, of number: Int64) {
    let earlier = entry(number)
    guard earlier != Self.stranger else { return }
    if earlier == Self.unknown { count += 1 }
    if close.isEmpty { scattered[number] = key } else { close[Int(number - first)] = key }
  }

  @inline(__always)
  private func entry(_ number: Int64) -> Int64 {
    if close.isEmpty { return scattered[number] ?? Self.stranger }
    // As a number without sign, which holds the distance of any two.
    let distance = UInt64(bitPattern: number &- first)
    guard number >= first, distance < UInt64(close.count) else { return Self.stranger }
    return close[Int(distance)]
  }
}
