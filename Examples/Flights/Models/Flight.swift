import Foundation
import OpenSwiftData

/// One scheduled departure from New York City.
@Model
final class Flight {
  #Index<Flight>([\.scheduledDeparture], [\.departureDelay], [\.tailNumber])

  /// Day, carrier, number, origin and scheduled time: no two flights share them.
  @Attribute(.unique) var key: String
  /// The local day, as 2013-01-31.
  var day: String
  /// The local hour of the scheduled departure.
  var hour: Int
  var number: Int
  /// The plane's registration, also where the registry lacks the plane.
  var tailNumber: String?
  var scheduledDeparture: Date
  /// Absent for a flight that was cancelled.
  var departure: Date?
  /// Minutes; negative when the flight left early.
  var departureDelay: Int?
  /// Minutes; absent also for a flight that was diverted.
  var arrivalDelay: Int?
  /// Minutes.
  var airTime: Int?
  /// Miles.
  var distance: Int
  var airline: Airline
  var origin: Airport
  var destination: Airport
  var plane: Plane?
  /// The weather at the origin in the hour of the scheduled departure.
  var weather: WeatherReport?

  init(
    key: String,
    day: String,
    hour: Int,
    number: Int,
    scheduledDeparture: Date,
    distance: Int,
    airline: Airline,
    origin: Airport,
    destination: Airport
  ) {
    self.key = key
    self.day = day
    self.hour = hour
    self.number = number
    self.scheduledDeparture = scheduledDeparture
    self.distance = distance
    self.airline = airline
    self.origin = origin
    self.destination = destination
  }
}
