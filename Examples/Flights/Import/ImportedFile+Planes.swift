import CSVFiles
import CommandLineSupport
import OpenSwiftData

extension ImportedFile {
  /// The registered planes.
  static let planes = ImportedFile(
    name: "planes",
    fields: ["tailnum", "year", "type", "manufacturer", "model", "engines", "seats", "engine"],
    count: { try $0.fetchCount(FetchDescriptor<Plane>()) }
  ) { rows, context, isFirstImport in
    let tailNumbers = try rows.map { try $0.requiredText("tailnum") }
    let present = isFirstImport ? [:] : try context.planes(tailNumbers)
    var added = 0
    for (tailNumber, row) in zip(tailNumbers, rows) where present[tailNumber] == nil {
      context.insert(try plane(tailNumber, row))
      added += 1
    }
    return added
  }

  private static func plane(_ tailNumber: String, _ row: CSVRow) throws -> Plane {
    Plane(
      tailNumber: tailNumber,
      year: try row.optionalInteger("year"),
      kind: try row.requiredText("type"),
      manufacturer: try row.requiredText("manufacturer"),
      model: try row.requiredText("model"),
      engines: try row.integer("engines"),
      seats: try row.integer("seats"),
      engine: try row.requiredText("engine")
    )
  }
}
