import Foundation

extension Trip {
  /// The number of nights away.
  var nights: Int { Day.nights(from: startDate, to: endDate) }

  /// The kind of trip in one word.
  var kind: String {
    switch self {
    case is PersonalTrip: "personal"
    case is BusinessTrip: "business"
    default: "trip"
    }
  }

  /// The kind of trip with what is special about it.
  var purpose: String {
    switch self {
    case let personal as PersonalTrip: "personal, \(personal.reason.rawValue)"
    case let business as BusinessTrip: "business, \(Self.money(business.perDiem)) a day"
    default: "trip"
    }
  }

  /// The days and how long they are.
  var days: String {
    let length = nights == 1 ? "1 night" : "\(nights) nights"
    return "\(Day.text(startDate)) to \(Day.text(endDate)), \(length)"
  }

  private static func money(_ amount: Double) -> String {
    let cents = Int((amount * 100).rounded())
    let digits = cents % 100
    return "\(cents / 100).\(digits < 10 ? "0" : "")\(digits)"
  }
}
