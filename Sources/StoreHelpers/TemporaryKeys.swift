import StoreProtocol

/// The keys of a batch's rows with temporary numbers, by these numbers.
///
/// Numbers are assigned consecutively, so those of one batch are close together. Then they are kept
/// in an array, otherwise in a dictionary.
package struct TemporaryKeys: Equatable, Sendable {
  private static let missing: Int64 = -1
  private static let unknown: Int64 = 0

  /// The number at index 0 of `close`.
  private var first: Int64 = 0
  private var close: [Int64] = []
  private var scattered: [Int64: Int64] = [:]
  /// The number of assigned keys.
  private var count = 0

  /// Creates a map without keys.
  ///
  /// - Parameter numbers: The temporary numbers of the rows that the batch inserts.
  package init(_ numbers: [Int64]) {
    guard let least = numbers.min(), let greatest = numbers.max() else { return }
    let (width, overflows) = greatest.subtractingReportingOverflow(least)
    if overflows || width / 4 > Int64(numbers.count) {
      for number in numbers { scattered[number] = Self.unknown }
    } else {
      first = least
      close = Array(repeating: Self.missing, count: Int(width) + 1)
      for number in numbers { close[Int(number - least)] = Self.unknown }
    }
  }

  /// Creates a map without keys for the new rows of a batch.
  package init(of runs: [RowRun]) {
    self.init(
      runs.flatMap { run in run.identifiers.indices.compactMap(run.identifiers.temporaryNumber) }
    )
  }

  /// Whether no key is assigned.
  package var isEmpty: Bool { count == 0 }

  /// Returns whether the batch inserts a row with a number.
  package func contains(_ number: Int64) -> Bool { entry(number) != Self.missing }

  /// The key of a number, or `nil` if it is not assigned.
  package subscript(number: Int64) -> Int64? {
    let key = entry(number)
    return key > 0 ? key : nil
  }

  /// Sets the key of a row of the batch.
  package mutating func set(_ key: Int64, of number: Int64) {
    let earlier = entry(number)
    guard earlier != Self.missing else { return }
    if earlier == Self.unknown { count += 1 }
    if close.isEmpty { scattered[number] = key } else { close[Int(number - first)] = key }
  }

  @inline(__always)
  private func entry(_ number: Int64) -> Int64 {
    if close.isEmpty { return scattered[number] ?? Self.missing }
    // As an unsigned number, which can represent the distance of any two.
    let distance = UInt64(bitPattern: number &- first)
    guard number >= first, distance < UInt64(close.count) else { return Self.missing }
    return close[Int(distance)]
  }
}
