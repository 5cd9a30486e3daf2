import Foundation
import OpenSwiftData

/// A trip that one makes for oneself.
@Model
class PersonalTrip: Trip {
  /// Why one goes.
  enum Reason: String, CaseIterable, Codable {
    case family
    case reunion
    case wellness
    case adventure
  }

  var reason: Reason

  init(name: String, destination: String, startDate: Date, endDate: Date, reason: Reason) {
    self.reason = reason
    super.init(name: name, destination: destination, startDate: startDate, endDate: endDate)
  }
}
