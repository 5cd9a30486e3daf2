import CommandLineSupport
import OpenSwiftData

/// The option that names a store, and how the store is opened.
enum StoreOption {
  static let store = Option(
    "store",
    value: "URL",
    "The store: sqlite:FILE, json:FILE, postgres://… or memory:.",
    environment: "DATASTORE_URL",
    isRequired: true
  )

  static func open(_ url: String) throws -> ModelContainer {
    try ModelContainer(
      for: Airline.self,
      Airport.self,
      Plane.self,
      WeatherReport.self,
      Flight.self,
      store: url
    )
  }
}
