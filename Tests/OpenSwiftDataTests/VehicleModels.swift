import OpenSwiftData

@Model
class Vehicle {
  #Index<Vehicle>([\.name], [\.built])
  @Attribute(.unique) var name: String
  var built: Date
  var price: Double
  var garage: Garage?
  @Relationship(inverse: \Driver.vehicles) var drivers: [Driver] = []

  init(_ name: String, built: Date = Date(timeIntervalSinceReferenceDate: 0), price: Double = 0) {
    self.name = name
    self.built = built
    self.price = price
  }
}

@Model
final class Lorry: Vehicle {
  var load: Int

  init(_ name: String, load: Int) {
    self.load = load
    super.init(name)
  }
}

@Model
final class Garage {
  var city: String
  @Relationship(deleteRule: .cascade, inverse: \Vehicle.garage) var vehicles: [Vehicle] = []

  init(_ city: String) {
    self.city = city
  }
}

@Model
final class Driver {
  var name: String
  var vehicles: [Vehicle] = []
  var mentor: Driver?

  init(_ name: String) {
    self.name = name
  }
}

extension ModelContainer {
  /// A container for the models of these tests.
  convenience init(vehicles url: String) throws {
    try self.init(for: Vehicle.self, Lorry.self, Garage.self, Driver.self, store: url)
  }
}
