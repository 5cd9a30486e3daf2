import Foundation

/// Dates as ISO 8601 text, without loss.
///
/// The text is `2013-01-01T05:00:00Z`, with three, six or nine fraction digits where needed. It
/// represents the seconds of its integer part plus its nanoseconds divided by 10⁹, computed as IEEE
/// 754 doubles: this computation results in the exact bits of the date. Dates without such a text
/// are written in another form; see `Documentation/JSONFormat.md`.
enum DateText {
  /// The days from 1 March of the year 0, at the start of an era, to 2001, Foundation's reference
  /// date.
  private static let reference = 730_791
  /// The reference seconds of the years 1 to 9999.
  private static let range = -63_113_904_000.0..<252_423_993_600.0

  /// Appends the text of a date by its seconds since 2001, as a JSON string.
  ///
  /// - Returns: `false` if no text represents exactly this date; then nothing was appended.
  static func append(_ interval: Double, to printer: inout JSONPrinter) -> Bool {
    guard range.contains(interval), !(interval == 0 && interval.sign == .minus) else {
      return false
    }
    let whole = interval.rounded(.down)
    guard let (fraction, digits) = fraction(of: interval, whole: whole) else { return false }
    printer.append(UInt8(ascii: "\""))
    append(seconds: Int(whole), to: &printer)
    if digits > 0 {
      printer.append(UInt8(ascii: "."))
      printer.append(UInt64(fraction), digits: digits)
    }
    printer.append(json: "Z\"")
    return true
  }

  /// Returns the fewest fraction digits that represent a date exactly.
  private static func fraction(
    of interval: Double,
    whole: Double
  ) -> (fraction: Int, digits: Int)? {
    if interval == whole { return (0, 0) }
    for (digits, scale) in [(3, 1000), (6, 1_000_000), (9, 1_000_000_000)] {
      let fraction = ((interval - whole) * Double(scale)).rounded()
      let nanoseconds = Int(fraction) * (1_000_000_000 / scale)
      if nanoseconds < 1_000_000_000, Self.interval(whole, nanoseconds) == interval {
        return (Int(fraction), digits)
      }
    }
    return nil
  }

  /// Returns the value of a text, the definition that the writer and the reader share.
  private static func interval(_ whole: Double, _ nanoseconds: Int) -> Double {
    whole + Double(nanoseconds) / 1e9
  }

  private static func append(seconds: Int, to printer: inout JSONPrinter) {
    let (days, second) = (seconds + reference * 86_400).quotientAndRemainder(dividingBy: 86_400)
    let date = civil(days: days)
    printer.append(UInt64(date.year), digits: 4)
    printer.append(UInt8(ascii: "-"))
    printer.append(UInt64(date.month), digits: 2)
    printer.append(UInt8(ascii: "-"))
    printer.append(UInt64(date.day), digits: 2)
    printer.append(UInt8(ascii: "T"))
    printer.append(UInt64(second / 3600), digits: 2)
    printer.append(UInt8(ascii: ":"))
    printer.append(UInt64(second / 60 % 60), digits: 2)
    printer.append(UInt8(ascii: ":"))
    printer.append(UInt64(second % 60), digits: 2)
  }

  /// Reads a text that `append(_:to:)` wrote, or that a person wrote.
  ///
  /// A person may use one to nine fraction digits, and an offset such as `+01:00` instead of `Z`.
  ///
  /// - Returns: The date, or `nil` if the bytes are not such a text.
  static func date(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
    guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
      text[16] == UInt8(ascii: ":"),
      let year = number(text, 0, 4), let month = number(text, 5, 2),
      let day = number(text, 8, 2), let hour = number(text, 11, 2),
      let minute = number(text, 14, 2), let second = number(text, 17, 2),
      let whole = interval(
        year: year,
        month: month,
        day: day,
        hour: hour,
        minute: minute,
        second: second
      )
    else { return nil }
    var index = 19
    guard let nanoseconds = fraction(text, &index), let offset = offset(text, index) else {
      return nil
    }
    return Date(timeIntervalSinceReferenceDate: interval(whole - Double(offset), nanoseconds))
  }

  /// Returns the seconds since 2001 of a UTC time, or `nil` if there is no such time.
  @inline(__always)
  static func interval(
    year: Int,
    month: Int,
    day: Int,
    hour: Int,
    minute: Int,
    second: Int
  ) -> Double? {
    guard year >= 1, (1...12).contains(month), day >= 1, hour < 24, minute < 60, second < 60,
      day <= 28 || day <= length(ofMonth: month, year: year)
    else { return nil }
    let days = days(year: year, month: month, day: day) - reference
    return Double(days * 86_400 + hour * 3600 + minute * 60 + second)
  }

  @inline(__always)
  private static func number(
    _ text: UnsafeBufferPointer<UInt8>,
    _ start: Int,
    _ count: Int
  ) -> Int? {
    guard start + count <= text.count else { return nil }
    var number = 0
    for index in start..<start + count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      number = number * 10 + Int(digit)
    }
    return number
  }

  /// Returns the nanoseconds of a fraction, or zero if there is none.
  private static func fraction(
    _ text: UnsafeBufferPointer<UInt8>,
    _ index: inout Int
  ) -> Int? {
    guard index < text.count, text[index] == UInt8(ascii: ".") else { return 0 }
    index += 1
    var value = 0
    var digits = 0
    while index < text.count, text[index] &- UInt8(ascii: "0") <= 9 {
      guard digits < 9 else { return nil }
      value = value * 10 + Int(text[index] &- UInt8(ascii: "0"))
      digits += 1
      index += 1
    }
    guard digits > 0 else { return nil }
    for _ in digits..<9 { value *= 10 }
    return value
  }

  /// Returns the offset from UTC in seconds at the end of a text.
  private static func offset(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
    guard index < text.count else { return nil }
    if text[index] == UInt8(ascii: "Z") { return index + 1 == text.count ? 0 : nil }
    guard text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-"),
      text.count == index + 6, text[index + 3] == UInt8(ascii: ":"),
      let hours = number(text, index + 1, 2), let minutes = number(text, index + 4, 2),
      hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return text[index] == UInt8(ascii: "-") ? -seconds : seconds
  }
}

// The proleptic Gregorian calendar, in eras of 400 years from 1 March of the year 0.

extension DateText {
  /// Returns the number of days from the first era to a date of the year 1 or later.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra
  }

  /// Returns the date that is a number of days after the start of the first era.
  private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
