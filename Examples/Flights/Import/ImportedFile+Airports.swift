import CSVFiles
import CommandLineSupport
import OpenSwiftData

extension ImportedFile {
  /// The airports of the United States.
  static let airports = ImportedFile(
    name: "airports",
    fields: ["faa", "name", "lat", "lon", "alt", "tzone"],
    count: { try $0.fetchCount(FetchDescriptor<Airport>()) }
  ) { rows, context, isFirstImport in
    let codes = try rows.map { try $0.requiredText("faa") }
    let present = isFirstImport ? [:] : try context.airports(codes)
    var added = 0
    for (code, row) in zip(codes, rows) where present[code] == nil {
      context.insert(try airport(code, row))
      added += 1
    }
    return added
  }

  private static func airport(_ code: String, _ row: CSVRow) throws -> Airport {
    let airport = Airport(
      code: code,
      name: try row.requiredText("name"),
      latitude: try row.decimal("lat"),
      longitude: try row.decimal("lon"),
      altitude: try row.integer("alt")
    )
    airport.timeZone = try row.optionalText("tzone")
    return airport
  }
}
