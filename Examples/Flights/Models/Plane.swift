import OpenSwiftData

/// An aircraft as the Federal Aviation Administration has registered it.
@Model
final class Plane {
  #Index<Plane>([\.manufacturer])

  @Attribute(.unique) var tailNumber: String
  /// The year in which it was built.
  var year: Int?
  var kind: String
  var manufacturer: String
  var model: String
  var engines: Int
  var seats: Int
  var engine: String
  @Relationship(deleteRule: .nullify, inverse: \Flight.plane) var flights: [Flight] = []

  init(
    tailNumber: String,
    year: Int?,
    kind: String,
    manufacturer: String,
    model: String,
    engines: Int,
    seats: Int,
    engine: String
  ) {
    self.tailNumber = tailNumber
    self.year = year
    self.kind = kind
    self.manufacturer = manufacturer
    self.model = model
    self.engines = engines
    self.seats = seats
    self.engine = engine
  }
}
