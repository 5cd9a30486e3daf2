import Foundation
import StoreTestSupport
import Testing

@testable import JSONFileStore

@Suite struct DateTextTests {
  private func text(_ date: Date) -> String? {
    var printer = JSONPrinter()
    guard DateText.append(date.timeIntervalSinceReferenceDate, to: &printer) else {
      #expect(printer.count == 0)
      return nil
    }
    return String(decoding: printer.bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  private func date(_ text: String) -> Date? {
    Array(text.utf8).withUnsafeBufferPointer { DateText.date($0) }
  }

  @Test(arguments: [
    (0.0, "2001-01-01T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
    (378_709_200, "2013-01-01T05:00:00Z"), (0.5, "2001-01-01T00:00:00.500Z"),
    (-0.25, "2000-12-31T23:59:59.750Z"), (-63_113_904_000, "0001-01-01T00:00:00Z"),
    (252_423_993_599, "9999-12-31T23:59:59Z"), (-26_524_800, "2000-02-29T00:00:00Z"),
  ])
  func `a date has the string of the calendar`(interval: Double, expected: String) {
    let date = Date(timeIntervalSinceReferenceDate: interval)
    #expect(text(date) == expected)
    #expect(self.date(expected) == date)
  }

  @Test(arguments: [
    Double.nan, .infinity, -.infinity, -0.0, -63_113_904_001, 252_423_993_600, 1e300, 1e-12,
  ])
  func `a date that a string cannot represent has none`(interval: Double) {
    #expect(text(Date(timeIntervalSinceReferenceDate: interval)) == nil)
  }

  @Test func `random dates are read back bit for bit, and agree with Foundation`() throws {
    var generator = SeededGenerator(seed: 3)
    let style = Date.ISO8601FormatStyle()
    for round in 0..<20_000 {
      var interval = Double.random(in: -63_113_904_000..<252_423_993_600, using: &generator)
      if round % 2 == 0 { interval = Double.random(in: -3e9..<3e9, using: &generator) }
      if round % 3 == 0 { interval.round(.down) }
      let date = Date(timeIntervalSinceReferenceDate: interval)
      guard let text = text(date) else { continue }
      let back = try #require(self.date(text))
      #expect(back.timeIntervalSinceReferenceDate.bitPattern == interval.bitPattern)
      // Before 1582 Foundation uses the Julian calendar, ISO 8601 does not.
      if interval == interval.rounded(.down), interval > -13_197_600_000 {
        #expect(text == style.format(date))
      }
    }
  }

  @Test func `dates of the present always have a string`() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<10_000 {
      let date = Date(timeIntervalSinceReferenceDate: .random(in: 1e7..<4e9, using: &generator))
      #expect(text(date) != nil)
    }
  }

  @Test(arguments: [
    ("2013-01-01T06:00:00+01:00", "2013-01-01T05:00:00Z"),
    ("2012-12-31T23:30:00-05:30", "2013-01-01T05:00:00Z"),
    ("2013-01-01T05:00:00.5Z", "2013-01-01T05:00:00.500Z"),
  ])
  func `fractions and time zone offsets are read`(written: String, meant: String) {
    #expect(date(written) == date(meant))
    #expect(date(written) != nil)
  }

  @Test(arguments: [
    "", "2013-01-01", "2013-01-01T05:00:00", "2013-02-29T05:00:00Z", "2013-13-01T05:00:00Z",
    "2013-00-01T05:00:00Z", "2013-01-32T05:00:00Z", "2013-01-01T24:00:00Z", "0000-01-01T00:00:00Z",
    "2013-01-01T05:60:00Z", "2013-01-01T05:00:60Z", "2013-01-01T05:00:00.Z", "2013-01-01 05:00:00Z",
    "2013-01-01T05:00:00.1234567890Z", "2013-01-01T05:00:00Zx", "2013-01-01T05:00:00+1:00",
    "2013-01-01T05:00:00+24:00", "1900-02-29T00:00:00Z", "+013-01-01T05:00:00Z",
  ])
  func `a string that is not a date is refused`(text: String) {
    #expect(date(text) == nil)
  }
}
