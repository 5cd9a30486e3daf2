import CSVFiles
import CommandLineSupport
import Foundation
import OpenSwiftData

/// A row of `flights.csv`, checked before any model is made of it.
struct FlightRow {
  let row: CSVRow
  let key: String
  let day: String
  let hour: Int
  let carrier: String
  let number: Int
  let tailNumber: String?
  let origin: String
  let destination: String
  let distance: Int
  let scheduledDeparture: Date
  /// Where and when the weather of the departure was reported.
  let weather: WeatherReport.StationHour

  init(_ row: CSVRow) throws {
    self.row = row
    carrier = try row.requiredText("carrier")
    number = try row.integer("flight")
    origin = try row.requiredText("origin")
    destination = try row.requiredText("dest")
    tailNumber = try row.optionalText("tailnum")
    distance = try row.integer("distance")
    hour = try row.integer("hour")
    let month = Self.padded(try row.integer("month"), 2)
    day = "\(try row.integer("year"))-\(month)-\(Self.padded(try row.integer("day"), 2))"
    let time = Self.padded(try row.integer("sched_dep_time"), 4)
    key = "\(day) \(carrier) \(number) \(origin) \(time)"
    // The file has the hour in UTC; the minute is the same in every zone of whole hours.
    let fullHour = try row.moment("time_hour")
    scheduledDeparture = fullHour.addingTimeInterval(Double(try row.integer("minute")) * 60)
    weather = WeatherReport.StationHour(station: origin, hour: fullHour)
  }

  /// Gives a flight the values that a cancelled or diverted one lacks.
  func complete(_ flight: Flight) throws {
    flight.tailNumber = tailNumber
    flight.departureDelay = try row.optionalInteger("dep_delay")
    flight.arrivalDelay = try row.optionalInteger("arr_delay")
    flight.airTime = try row.optionalInteger("air_time")
    flight.departure = flight.departureDelay.map {
      scheduledDeparture.addingTimeInterval(Double($0) * 60)
    }
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
