import CSVFiles
import CommandLineSupport
import Foundation
import OpenSwiftData

extension ImportedFile {
  /// The weather at the three airports, hour by hour.
  static let weather = ImportedFile(
    name: "weather",
    fields: ["origin", "temp", "humid", "wind_speed", "precip", "visib", "time_hour"],
    count: { try $0.fetchCount(FetchDescriptor<WeatherReport>()) }
  ) { rows, context, isFirstImport in
    let airports = try context.airports(try rows.map { try $0.requiredText("origin") })
    let keys = try rows.map(WeatherReport.StationHour.init)
    let present = isFirstImport ? [:] : try context.weather(keys)
    var added = 0
    for (key, row) in zip(keys, rows) where present[key] == nil {
      guard let airport = airports[key.station] else {
        throw row.error(at: "origin", "'\(key.station)' is not in airports.csv")
      }
      context.insert(try report(key, airport, row))
      added += 1
    }
    return added
  }

  private static func report(
    _ key: WeatherReport.StationHour,
    _ airport: Airport,
    _ row: CSVRow
  ) throws -> WeatherReport {
    let report = WeatherReport(
      airport: airport,
      hour: key.hour,
      precipitation: try row.decimal("precip"),
      visibility: try row.decimal("visib")
    )
    report.temperature = try row.optionalDecimal("temp")
    report.humidity = try row.optionalDecimal("humid")
    report.windSpeed = try row.optionalDecimal("wind_speed")
    return report
  }
}

extension WeatherReport {
  /// The station and hour that identify a report.
  struct StationHour: Hashable {
    let station: String
    let hour: Date

    init(station: String, hour: Date) {
      self.station = station
      self.hour = hour
    }

    init(_ row: CSVRow) throws {
      self.init(station: try row.requiredText("origin"), hour: try row.moment("time_hour"))
    }
  }
}
