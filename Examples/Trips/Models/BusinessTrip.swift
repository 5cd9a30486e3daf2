import Foundation
import OpenSwiftData

/// A trip that somebody pays for.
@Model
class BusinessTrip: Trip {
  /// The money for each day.
  var perDiem: Double

  init(name: String, destination: String, startDate: Date, endDate: Date, perDiem: Double) {
    self.perDiem = perDiem
    super.init(name: name, destination: destination, startDate: startDate, endDate: endDate)
  }
}
