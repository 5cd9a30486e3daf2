import Foundation

/// What was measured of a row.
struct RoadResult {
  let road: Road
  /// The seconds a unit for many objects.
  let seconds: Double
  /// The time a unit for eight times as many objects, by that for few.
  let growth: Double

  /// The growth that no row may exceed: that of a quadratic step is eight.
  static let limit = 2.0
  private static let factor = 8

  /// The ratio to the same row of the plain model, or `nil` for that row itself.
  let ratio: Double?

  /// Measures a row until its growth is within a bound, at most four times.
  ///
  /// - Parameters:
  ///   - road: The row.
  ///   - count: The smaller number of objects.
  ///   - bound: The growth.
  ///   - plain: The seconds a unit of the same row of the plain model.
  /// - Throws: The errors of the work.
  init(_ road: Road, from count: Int, bound: Double, plain: Double?) throws {
    self.road = road
    var few = Double.infinity
    var many = Double.infinity
    for _ in 0..<4 {
      for _ in 0..<2 { few = min(few, try road.seconds(count)) }
      many = min(many, try road.seconds(count * Self.factor))
      if many <= few * bound { break }
    }
    seconds = many
    growth = many / few
    ratio = plain.map { many / $0 }
  }

  /// The line of the row.
  var line: String {
    [
      road.name.padding(toLength: 48, withPad: " ", startingAt: 0),
      Self.padded(Self.text(seconds * 1e6)), Self.padded(Self.text(growth)),
      Self.padded(ratio.map(Self.text) ?? "-"),
    ].joined()
  }

  static let head =
    "row".padding(toLength: 48, withPad: " ", startingAt: 0)
    + ["µs", "growth", "× plain"].map(padded).joined()

  /// A number with two decimals.
  static func text(_ number: Double) -> String { String(format: "%.2f", number) }

  private static func padded(_ text: String) -> String {
    String(repeating: " ", count: max(0, 10 - text.count)) + text
  }
}

/// The growth of the rows that exceed the limit today, which only goes down.
struct RoadBounds {
  private var bounds: [String: Double] = [:]
  private let path: String?

  /// Reads the lines of a file: a bound, and the name of a row.
  init(_ path: String?) throws {
    self.path = path
    guard let path else { return }
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let bound = Double(words[0]) else { continue }
      bounds[String(words[1])] = bound
    }
  }

  subscript(name: String) -> Double { bounds[name] ?? RoadResult.limit }

  /// Lowers the bounds to what was measured, and writes them.
  ///
  /// A row gets a bound only while the file has none at all.
  mutating func write(_ results: [RoadResult]) throws {
    let isNew = bounds.isEmpty
    for result in results {
      let bound = (result.growth * 1.25 * 10).rounded(.up) / 10
      if result.growth <= RoadResult.limit {
        bounds[result.road.name] = nil
      } else if isNew || bound < self[result.road.name] {
        bounds[result.road.name] = bound
      }
    }
    let lines = bounds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    guard let path else { return }
    try (lines.joined(separator: "\n") + "\n")
      .write(toFile: path, atomically: true, encoding: .utf8)
  }
}
