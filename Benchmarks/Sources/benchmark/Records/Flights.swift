import Foundation
import OpenSwiftData

/// A company that flies.
@Model
final class Carrier {
  @Attribute(.unique) var code: String
  @Relationship(inverse: \Flight.carrier) var flights: [Flight] = []

  init(code: String) {
    self.code = code
  }
}

/// A place where flights begin or end.
@Model
final class Airport {
  @Attribute(.unique) var code: String
  @Relationship(inverse: \Flight.origin) var departures: [Flight] = []
  @Relationship(inverse: \Flight.destination) var arrivals: [Flight] = []

  init(code: String) {
    self.code = code
  }
}

/// One scheduled departure from New York City.
@Model
final class Flight {
  #Index<Flight>([\.departureDelay])

  @Attribute(.unique) var key: String
  var number: Int
  var tailNumber: String?
  var hour: String
  var departureDelay: Int?
  var arrivalDelay: Int?
  var distance: Int
  var carrier: Carrier?
  var origin: Airport?
  var destination: Airport?

  init(_ record: FlightRecord) {
    key = record.key
    number = record.number
    tailNumber = record.tailNumber
    hour = record.hour
    departureDelay = record.departureDelay
    arrivalDelay = record.arrivalDelay
    distance = record.distance
  }
}

/// A row of the file of flights that comes with the example of the same name: January 2013, real.
struct FlightRecord {
  let key: String
  let number: Int
  let tailNumber: String?
  let hour: String
  let departureDelay: Int?
  let arrivalDelay: Int?
  let distance: Int
  let carrier: String
  let origin: String
  let destination: String

  private static let path = "../../../../Examples/Flights/Data/flights.csv"

  /// The first flights of the file.
  static func first(_ count: Int) throws -> [FlightRecord] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: path)
      .standardized
    guard let text = try? String(contentsOf: file, encoding: .utf8) else {
      throw BenchmarkError("\(file.path) cannot be read; run the benchmark where it was built")
    }
    return try text.split(separator: "\n").dropFirst().prefix(count).map { try FlightRecord($0) }
  }

  /// Reads year, month, day, departure, scheduled departure, delay, arrival, scheduled arrival, delay,
  /// carrier, flight, tail number, origin, destination, air time, distance, hour, minute and the hour.
  private init(_ line: Substring) throws {
    let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard cells.count == 19, let number = Int(cells[10]), let distance = Int(cells[15]) else {
      throw BenchmarkError("the file of flights has a line that is none: \(line)")
    }
    key = "\(cells[0])-\(cells[1])-\(cells[2]) \(cells[9]) \(number) \(cells[12]) \(cells[4])"
    self.number = number
    tailNumber = cells[11].isEmpty || cells[11] == "NA" ? nil : cells[11]
    hour = cells[18]
    departureDelay = Int(cells[5])
    arrivalDelay = Int(cells[8])
    self.distance = distance
    carrier = cells[9]
    origin = cells[12]
    destination = cells[13]
  }

  /// The codes of some column, each once, in the order in which they come.
  static func codes(_ records: [FlightRecord], _ codes: (FlightRecord) -> [String]) -> [String] {
    var seen: Set<String> = []
    return records.flatMap(codes).filter { seen.insert($0).inserted }
  }
}
