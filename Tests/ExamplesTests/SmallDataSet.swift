import Foundation

/// The first flights of the carried data with what belongs to them, as files in a folder.
struct SmallDataSet {
  let folder: URL

  /// The fields of `flights.csv`, row by row, as a plain split gives them: the data has no quotes.
  let flights: [[String: String]]

  init(flightCount: Int, in folder: URL) throws {
    self.folder = folder
    let lines = try Self.lines(of: "flights")
    let head = lines[0].components(separatedBy: ",")
    flights = lines[1...].prefix(flightCount).map { line in
      Dictionary(
        zip(head, line.components(separatedBy: ",")),
        uniquingKeysWith: { first, _ in first }
      )
    }
    let airports = Set(flights.flatMap { [$0["origin"], $0["dest"]] }.compactMap { $0 })
    let planes = Set(flights.compactMap { $0["tailnum"] })
    try write("flights", Array(lines.prefix(flightCount + 1)))
    try write("airlines", try Self.lines(of: "airlines"))
    // A tenth of the airports to which nobody flies is enough.
    try write(
      "airports",
      try Self.lines(of: "airports").enumerated().filter { offset, line in
        offset % 10 == 0 || airports.contains(String(line.prefix(3)))
      }.map(\.element)
    )
    try write(
      "planes",
      try Self.lines(of: "planes").enumerated().filter { offset, line in
        offset == 0 || planes.contains(line.components(separatedBy: ",")[0])
      }.map(\.element)
    )
    try write(
      "weather",
      Array(
        try Self.lines(of: "weather").enumerated().filter { offset, line in
          offset == 0 || line.contains(",2013,1,1,") || line.contains(",2013,1,2,")
        }.map(\.element)
      )
    )
  }

  /// Writes lines to a file of the set.
  func write(_ name: String, _ lines: [String]) throws {
    let text = lines.joined(separator: "\n") + "\n"
    try Data(text.utf8).write(to: folder.appending(path: "\(name).csv"))
  }

  /// The lines of a file of the set.
  func lines(of name: String) throws -> [String] {
    try Self.lines(at: folder.appending(path: "\(name).csv"))
  }

  private static func lines(of name: String) throws -> [String] {
    let root = URL(filePath: #filePath).appending(path: "../../..").standardized
    return try lines(at: root.appending(path: "Examples/Flights/Data/\(name).csv"))
  }

  private static func lines(at url: URL) throws -> [String] {
    let text = try String(contentsOf: url, encoding: .utf8)
    return text.split(separator: "\n").map(String.init)
  }
}
