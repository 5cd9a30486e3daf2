import Foundation
import OpenSwiftData

extension Question {
  static let worstWeather = Question("The hours with the least to see, and who left in them") {
    context in
    var descriptor = FetchDescriptor<WeatherReport>(
      predicate: #Predicate { $0.windSpeed != nil },
      sortBy: [
        SortDescriptor(\.visibility), SortDescriptor(\.windSpeed, order: .reverse),
        SortDescriptor(\.hour), SortDescriptor(\.station),
      ]
    )
    descriptor.fetchLimit = 5
    return Answer(
      .text("Hour"),
      .text("Airport"),
      .number("Miles"),
      .number("Wind"),
      .number("Flights"),
      .number("Left"),
      rows: try context.fetch(descriptor).map { report in
        [
          .moment(report.hour), .text(report.station), .decimal(report.visibility),
          report.windSpeed.map { .decimal($0) } ?? .none, .number(report.flights.count),
          .number(report.flights.count { $0.departure != nil }),
        ]
      }
    )
  }
}
