import Foundation

/// The targets of a row.
struct RoadTarget {
  /// The highest growth.
  static let growth = 1.3
  /// The highest ratio to the plain model, or `nil` if there is no target.
  let ratio: Double?

  init(_ road: Road) {
    let words = road.name.split(separator: " ").map(String.init)
    let ofModel: [String: Double] = [
      Unique.road: words.first == RoadStore.postgres.rawValue ? 3 : 2.5, Structured.road: 4,
      Book.road: 2.5, Exhibit.road: 2.5, Specimen.road: 2.5, Photo.road: 8,
    ]
    let observed: Set<String> = [Circumstance.observed.rawValue, Circumstance.elsewhere.rawValue]
    let isObserved = words.contains(where: observed.contains)
    if words.count > 1, let ratio = ofModel[words[1]] {
      self.ratio = isObserved ? max(ratio, 1.5) : ratio
    } else {
      ratio = isObserved ? 1.5 : nil
    }
  }
}

/// The part of a page with the rows that miss a target.
struct RoadPage {
  static let begin = "<!-- Rows; Scripts/roads --all --page writes them anew. -->"
  static let end = "<!-- End of the rows. -->"
  private let text: String

  init(_ results: [RoadResult], from count: Int) {
    let missing = results.filter {
      $0.growth > RoadTarget.growth || ($0.ratio ?? 0) > RoadTarget($0.road).ratio ?? .infinity
    }
    let rows = missing.map { result in
      let ratio = result.ratio.map(RoadResult.text) ?? ""
      let target = RoadTarget(result.road).ratio.map { " (at most \($0.formatted()))" } ?? ""
      return "| `\(result.road.name)` | \(RoadResult.text(result.seconds * 1e6)) | "
        + "\(RoadResult.text(result.growth)) | \(ratio)\(target) |"
    }
    let head = """
      \(missing.count) of \(results.count) rows grow by more than \(RoadTarget.growth.formatted()), from \
      \(count) to \(8 * count) objects, or exceed the ratio in parentheses.

      | row | µs an object | growth | ratio to plain |
      |---|---|---|---|

      """
    text = head + rows.joined(separator: "\n")
  }

  /// Writes the rows between the marks of a page, and leaves the rest of it alone.
  func write(to path: String) throws {
    let page = try String(contentsOfFile: path, encoding: .utf8)
    guard let start = page.range(of: Self.begin), let stop = page.range(of: Self.end),
      start.upperBound <= stop.lowerBound
    else { throw CocoaError(.fileReadCorruptFile) }
    let new = page[..<start.upperBound] + "\n\n" + text + "\n\n" + page[stop.lowerBound...]
    try String(new).write(toFile: path, atomically: true, encoding: .utf8)
  }
}
