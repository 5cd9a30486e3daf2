import OpenSwiftData

extension ImportedFile {
  /// The companies.
  static let airlines = ImportedFile(
    name: "airlines",
    fields: ["carrier", "name"],
    count: { try $0.fetchCount(FetchDescriptor<Airline>()) }
  ) { rows, context, isFirstImport in
    let present = isFirstImport ? [:] : try context.airlines()
    var added = 0
    for row in rows {
      let code = try row.requiredText("carrier")
      guard present[code] == nil else { continue }
      context.insert(Airline(code: code, name: try row.requiredText("name")))
      added += 1
    }
    return added
  }
}
