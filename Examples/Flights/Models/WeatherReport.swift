import Foundation
import OpenSwiftData

/// The weather at an airport during one hour.
@Model
final class WeatherReport {
  #Unique<WeatherReport>([\.station, \.hour])
  #Index<WeatherReport>([\.hour])

  /// The code of the airport.
  var station: String
  /// The beginning of the hour.
  var hour: Date
  /// Degrees Fahrenheit.
  var temperature: Double?
  /// Percent.
  var humidity: Double?
  /// Miles an hour.
  var windSpeed: Double?
  /// Inches.
  var precipitation: Double
  /// Miles.
  var visibility: Double
  var airport: Airport
  @Relationship(deleteRule: .nullify, inverse: \Flight.weather) var flights: [Flight] = []

  init(airport: Airport, hour: Date, precipitation: Double, visibility: Double) {
    self.station = airport.code
    self.hour = hour
    self.precipitation = precipitation
    self.visibility = visibility
    self.airport = airport
  }
}
