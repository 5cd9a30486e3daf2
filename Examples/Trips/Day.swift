import CommandLineSupport
import Foundation

/// Days of the calendar, kept as the midnight in UTC with which they begin.
///
/// A trip begins on the same day of the calendar wherever its store is read.
enum Day {
  /// The number of seconds of each day in UTC, where no clock is ever put forward.
  private static let length = 86_400.0

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  /// Reads a day in the form 2026-12-24.
  static func parsed(_ text: String, option: Option) throws -> Date {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    let isWellFormed = parts.map(\.count) == [4, 2, 2] && numbers.count == 3
    if isWellFormed {
      let components = DateComponents(year: numbers[0], month: numbers[1], day: numbers[2])
      if components.isValidDate(in: calendar), let date = calendar.date(from: components) {
        return date
      }
    }
    throw UsageError("'--\(option.name)' takes a date such as 2026-12-24, not '\(text)'")
  }

  /// The day on which a moment falls for the person at the keyboard.
  static func containing(_ moment: Date) -> Date {
    let local = Calendar.current.dateComponents([.year, .month, .day], from: moment)
    return calendar.date(from: local) ?? moment
  }

  /// A day in the form 2026-12-24.
  static func text(_ date: Date) -> String {
    date.formatted(.iso8601.year().month().day())
  }

  /// The nights between two days.
  static func nights(from start: Date, to end: Date) -> Int {
    Int((end.timeIntervalSince(start) / length).rounded())
  }

  /// How far away a day is, in words.
  static func distance(from today: Date, to day: Date) -> String {
    switch nights(from: today, to: day) {
    case 0: "today"
    case 1: "tomorrow"
    case -1: "yesterday"
    case let days where days > 0: "in \(days) days"
    case let days: "\(-days) days ago"
    }
  }
}
