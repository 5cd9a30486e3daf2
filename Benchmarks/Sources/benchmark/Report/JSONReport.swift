import Foundation

/// Results for other programs: nanoseconds a unit, bytes, ratios.
enum JSONReport {
  static func text(_ report: Report) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(report), as: UTF8.self)
  }
}
