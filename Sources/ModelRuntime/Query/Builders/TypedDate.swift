import Foundation

/// A date in ISO 8601, such as `2026-01-31`.
///
/// A time may follow after a `T` or a space, and then `Z` or an offset; the default is UTC.
///
/// Foundation's own styles accept hours above 24 and ignore trailing text.
struct TypedDate {
  private var rest: Substring.UTF8View
  private(set) var date = Date(timeIntervalSinceReferenceDate: 0)

  /// Reads a whole string, or returns `nil` if it is not a date.
  init?(_ text: String) {
    rest = Substring(text).utf8
    guard let year = number(digits: 4), skip("-"), let month = number(digits: 2, in: 1...12),
      skip("-"),
      let day = number(digits: 2, in: 1...Self.days(of: month, year))
    else { return nil }
    var seconds = Double(Self.day(year, month, day) * 86_400)
    if skip("T") || skip(" ") {
      guard let time = time(), let offset = offset() else { return nil }
      seconds += time - offset
    }
    guard rest.isEmpty else { return nil }
    date = Date(timeIntervalSinceReferenceDate: seconds)
  }

  /// Reads the time as seconds since midnight.
  private mutating func time() -> Double? {
    guard let hour = number(digits: 2, in: 0...23), skip(":"),
      let minute = number(digits: 2, in: 0...59)
    else { return nil }
    var seconds = Double(hour * 3_600 + minute * 60)
    guard skip(":") else { return seconds }
    guard let second = number(digits: 2, in: 0...59) else { return nil }
    seconds += Double(second)
    guard skip(".") else { return seconds }
    let digits = rest.prefix { Self.isDigit($0) }
    rest = rest.dropFirst(digits.count)
    guard let fraction = Double("0.\(Substring(digits))") else { return nil }
    return digits.isEmpty ? nil : seconds + fraction
  }

  /// Reads the offset from UTC in seconds.
  private mutating func offset() -> Double? {
    if rest.isEmpty || skip("Z") { return 0 }
    let isBehind = skip("-")
    guard isBehind || skip("+"), let hours = number(digits: 2, in: 0...23), skip(":"),
      let minutes = number(digits: 2, in: 0...59)
    else { return nil }
    return Double((hours * 60 + minutes) * 60) * (isBehind ? -1 : 1)
  }

  private mutating func number(digits: Int, in range: ClosedRange<Int> = 0...9_999) -> Int? {
    let text = rest.prefix(digits)
    guard text.count == digits, text.allSatisfy(Self.isDigit),
      let number = Int(Substring(text)), range.contains(number)
    else { return nil }
    rest = rest.dropFirst(digits)
    return number
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func days(of month: Int, _ year: Int) -> Int {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    switch month {
    case 2: return isLeap ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }

  /// Returns the days since 1 January 2001 in the Gregorian calendar, which ISO 8601 extends to all
  /// years.
  private static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // Years that start in March have the leap day at their end.
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let (era, years) = (shifted.floored(by: 400), shifted - shifted.floored(by: 400) * 400)
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = years * 365 + years / 4 - years / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 730_791
  }
}

extension Int {
  fileprivate func floored(by divisor: Int) -> Int {
    self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
  }
}
