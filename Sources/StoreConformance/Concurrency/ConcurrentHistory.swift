/// A record of concurrent requests to a store by threads or processes, and its checker.
///
/// Save *n* sets both registers to *n*, inserts two animals named *n*, and deletes those of save
/// *n* - 3. So every read shows which state of the store it saw.
struct ConcurrentHistory: Sendable {
  /// A finished request.
  struct Operation: Codable, Sendable {
    /// The positions of begin and end among those of all operations.
    let begin: Int
    let end: Int
    let outcome: Outcome
  }

  /// The result of a request.
  enum Outcome: Codable, Sendable {
    /// A save stored a value, under a number.
    case saved(Int64, version: Int64)
    /// A read returned the values of both registers.
    case registers([Int64])
    /// A read returned the names of the animals from a value on.
    case animals([Int64], from: Int64)
    /// A count returned the number of animals.
    case count(Int)
  }

  /// The number of the last saves whose animals are stored.
  static let kept: Int64 = 3

  var operations: [Operation] = []

  /// Checks that one order of the saves explains every read.
  ///
  /// - Parameter hasVersions: Whether the numbers of saves tell their order.
  /// - Throws: A ``RuleViolation`` that names the anomaly.
  func check(hasVersions: Bool) throws {
    let saves = saves
    try Self.check(saves, hasVersions)
    let reads = try operations.compactMap { operation in
      try state(of: operation.outcome).map { (state: $0, operation: operation) }
    }
    let done = Highest(saves.map { ($0.end, $0.value) })
    let begun = Highest(saves.map { ($0.begin, $0.value) })
    let seen = Highest(reads.map { ($0.operation.end, $0.state) })
    for (state, read) in reads {
      let done = done.value(before: read.begin)
      try expect("stale: a read after the save of \(done)", state, >=, done, "\(done) or later")
      let begun = begun.value(before: read.end)
      try expect("dirty: a read before the next save began", state, <=, begun, "\(begun) at most")
      let seen = seen.value(before: read.begin)
      try expect("going back: a read after one of \(seen)", state, >=, seen, "\(seen) or later")
    }
  }

  /// The highest of the values at earlier positions.
  private struct Highest {
    private var positions: [Int] = []
    private var values: [Int64] = []

    init(_ pairs: [(position: Int, value: Int64)]) {
      for pair in pairs.sorted(by: { $0.position < $1.position }) {
        positions.append(pair.position)
        values.append(max(pair.value, values.last ?? 0))
      }
    }

    func value(before position: Int) -> Int64 {
      var range = positions.indices
      while let middle = range.isEmpty ? nil : (range.lowerBound + range.upperBound) / 2 {
        range =
          positions[middle] < position
          ? middle + 1..<range.upperBound : range.lowerBound..<middle
      }
      return range.lowerBound == 0 ? 0 : values[range.lowerBound - 1]
    }
  }

  private typealias Save = (begin: Int, end: Int, value: Int64, version: Int64)

  private var saves: [Save] {
    operations.compactMap { operation in
      guard case .saved(let value, let version) = operation.outcome else { return nil }
      return (operation.begin, operation.end, value, version)
    }
  }

  /// Checks for lost updates: each save adds one to the value that it read, so two saves of one
  /// value mean a lost update.
  private static func check(_ saves: [Save], _ hasVersions: Bool) throws {
    let ordered = saves.sorted { hasVersions ? $0.version < $1.version : $0.value < $1.value }
    try expect(
      "lost update: the values saved, in the order of the saves",
      ordered.map(\.value),
      equals: ordered.indices.map { Int64($0 + 1) }
    )
  }

  /// The state that a read saw, or `nil` if its result does not tell.
  private func state(of outcome: Outcome) throws -> Int64? {
    switch outcome {
    case .saved: return nil
    case .registers(let values):
      let first = values.first ?? -1
      try expect("torn: both registers of one read", values, equals: [first, first])
      try expect("dirty: a value that was read", first, >=, 0, "one that a save stored")
      return first
    case .animals(let names, let start):
      try expect("dirty: rows of a refused save", names.allSatisfy { $0 > 0 }, "none")
      let last = names.max() ?? 0
      let all = (max(last - Self.kept + 1, 1)..<(last + 1)).flatMap { [$0, $0] }
      try expect("phantom: the rows of one read", names, equals: all.filter { $0 >= start })
      return last
    case .count(let count):
      let most = Int(Self.kept) * 2
      let isWhole = count.isMultiple(of: 2) && count <= most
      try expect("torn: a count of rows saved in pairs", isWhole, "an even number up to \(most)")
      return count == most ? nil : Int64(count / 2)
    }
  }
}
