import Foundation
import OpenSwiftData

extension ModelContext {
  /// All airlines by code; there are few.
  func airlines() throws -> [String: Airline] {
    Self.keyed(try fetch(FetchDescriptor<Airline>()), by: \.code)
  }

  /// The stored airports among some codes.
  func airports(_ codes: [String]) throws -> [String: Airport] {
    let codes = Array(Set(codes))
    let predicate = #Predicate<Airport> { codes.contains($0.code) }
    return Self.keyed(try fetch(FetchDescriptor(predicate: predicate)), by: \.code)
  }

  /// The stored planes among some tail numbers.
  func planes(_ tailNumbers: [String]) throws -> [String: Plane] {
    let tailNumbers = Array(Set(tailNumbers))
    let predicate = #Predicate<Plane> { tailNumbers.contains($0.tailNumber) }
    return Self.keyed(try fetch(FetchDescriptor(predicate: predicate)), by: \.tailNumber)
  }

  /// The stored weather reports of some stations and hours.
  func weather(
    _ keys: [WeatherReport.StationHour]
  ) throws -> [WeatherReport.StationHour: WeatherReport] {
    let hours = Array(Set(keys.map(\.hour)))
    let predicate = #Predicate<WeatherReport> { hours.contains($0.hour) }
    let reports = try fetch(FetchDescriptor(predicate: predicate))
    return Dictionary(
      reports.map { (WeatherReport.StationHour(station: $0.station, hour: $0.hour), $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The keys, among some, of flights that are stored.
  func flightKeys(_ keys: [String]) throws -> Set<String> {
    var descriptor = FetchDescriptor<Flight>(predicate: #Predicate { keys.contains($0.key) })
    descriptor.propertiesToFetch = [\.key]
    return Set(try fetch(descriptor).map(\.key))
  }

  private static func keyed<Model>(
    _ models: [Model],
    by key: (Model) -> String
  ) -> [String: Model] {
    Dictionary(models.map { (key($0), $0) }, uniquingKeysWith: { first, _ in first })
  }
}
