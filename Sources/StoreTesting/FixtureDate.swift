import Foundation

/// Dates in the form of fixtures.
enum FixtureDate {
  /// Parses `2026-05-01`, `2026-05-01T12:00:00Z` or `2026-05-01T12:00:00.125+02:00`.
  static func date(from text: String) -> Date? {
    let day = Date.ISO8601FormatStyle().year().month().day()
    let fraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    if text.utf8.count == 10 { return try? Date(text, strategy: day) }
    return (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: fraction))
  }

  /// Decodes a date in this form.
  static func read(from decoder: any Decoder) throws -> Date {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    if let date = date(from: text) { return date }
    throw DecodingError.dataCorruptedError(
      in: container,
      debugDescription: "\(text) is not a time; write it as 2026-05-01T12:00:00Z"
    )
  }
}
