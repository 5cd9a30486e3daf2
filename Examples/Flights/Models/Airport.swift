import OpenSwiftData

/// A place where flights begin or end.
@Model
final class Airport {
  /// The code of three letters or digits that the Federal Aviation Administration gives.
  @Attribute(.unique) var code: String
  /// The name, or the code again where the list of airports lacks the place.
  var name: String
  var isListed: Bool
  var latitude: Double?
  var longitude: Double?
  /// Feet above the sea.
  var altitude: Int?
  /// The name of the time zone, such as America/New_York.
  var timeZone: String?
  @Relationship(deleteRule: .deny, inverse: \Flight.origin) var departures: [Flight] = []
  @Relationship(deleteRule: .deny, inverse: \Flight.destination) var arrivals: [Flight] = []
  @Relationship(deleteRule: .cascade, inverse: \WeatherReport.airport)
  var weather: [WeatherReport] = []

  init(code: String, name: String, latitude: Double, longitude: Double, altitude: Int) {
    self.code = code
    self.name = name
    self.isListed = true
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// An airport of which nothing is known but that somebody flew there.
  init(unlistedCode: String) {
    code = unlistedCode
    name = unlistedCode
    isListed = false
  }
}
