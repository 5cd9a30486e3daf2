import Foundation

/// A page that has figures between two marks, and other text around them.
enum ReportPage {
  static let begin = "<!-- Figures; Scripts/benchmark --write writes them anew. -->"
  static let end = "<!-- End of the figures. -->"

  /// Writes figures between the marks of a page, and leaves the rest of it alone.
  static func write(_ figures: String, to path: String) throws {
    let url = URL(filePath: path)
    let page = try String(contentsOf: url, encoding: .utf8)
    guard let start = page.range(of: begin), let stop = page.range(of: end),
      start.upperBound <= stop.lowerBound
    else {
      throw BenchmarkError("\(path) lacks the lines '\(begin)' and '\(end)'")
    }
    let new = page[..<start.upperBound] + "\n\n" + figures + "\n\n" + page[stop.lowerBound...]
    try String(new).write(to: url, atomically: true, encoding: .utf8)
  }
}
