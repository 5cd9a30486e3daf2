import CommandLineSupport
import OpenSwiftData

/// The request of `storectl list`.
struct Listing {
  let opened: OpenedStore
  let entity: StoreEntity
  /// The properties to show, in order.
  let columns: [StoreProperty]
  /// Whether the columns were named explicitly.
  let hasNamedColumns: Bool
  var query: StoreQuery

  /// The largest number of columns of a table's cell, however wide the console is.
  private static let longestCell = 200

  /// Writes the objects as JSON, one per line, or as the elements of a list.
  func writeJSON(asList: Bool, to console: Console) throws {
    let names = hasNamedColumns ? Set(columns.map(\.name)) : nil
    var isFirst = true
    if asList { console.write("[") }
    try opened.forEachObject(query, WantedProperties(names: names, readsFiles: true)) { object in
      if asList { console.write(isFirst ? "\n" : ",\n") }
      isFirst = false
      console.write(ObjectText.line(object, columns: hasNamedColumns ? columns : nil))
      if !asList { console.write("\n") }
    }
    if asList { console.write("\n]\n") }
  }

  /// Writes the objects as comma-separated values under a line of names.
  func writeCSV(to console: Console) throws {
    let wanted = WantedProperties(names: Set(columns.map(\.name)), readsFiles: true)
    console.write(CSVText.line(["id"] + columns.map(\.name)))
    try opened.forEachObject(query, wanted) { object in
      let cells = columns.map { column in
        object.value(of: column).map { ShownValue($0, column, in: object.entity).exact } ?? ""
      }
      console.write(CSVText.line(["\(object.identifier)"] + cells))
    }
  }

  /// Writes the objects as a table that is as wide as the console, and reports what it leaves out.
  func writeTable(to console: Console) throws {
    let wanted = WantedProperties(
      names: Set(columns.map(\.name)),
      readsFiles: false,
      longestString: 10_000
    )
    var rows: [[String]] = []
    let longest = max(console.width, Self.longestCell)
    try opened.forEachObject(query, wanted) { object in
      rows.append(["\(object.identifier)"] + columns.map { object.shown($0).shown(to: longest) })
    }
    let shown = FittingColumns(columns, rows: rows, width: console.width).count
    var table = TextTable([.whole("ID")] + columns.prefix(shown).map(\.column))
    for row in rows { table.append(Array(row.prefix(shown + 1))) }
    console.write(table.text(width: console.width))
    try writeFooter(rows.count, hidden: columns.dropFirst(shown).map(\.name), to: console)
  }

  private func writeFooter(_ count: Int, hidden: [String], to console: Console) throws {
    var all = query
    (all.sort, all.offset, all.limit) = ([], 0, nil)
    let total = count == query.limit || query.offset > 0 ? try opened.store.count(all) : count
    let part = total == count ? "\(count)" : "\(count) of \(total)"
    console.print("\n\(part) \(total == 1 ? "object" : "objects")")
    if count < total { console.print("--limit and --offset show others") }
    if !hidden.isEmpty {
      let names = hidden.joined(separator: ", ").visible
      let text = "Not shown: \(names). --columns chooses."
      for line in HelpText.wrapped(text, width: console.width) { console.print(line) }
    }
  }
}

/// The number of a table's columns that fit on a line.
struct FittingColumns {
  let count: Int

  private static let narrowestText = 12

  init(_ columns: [StoreProperty], rows: [[String]], width: Int) {
    func cellWidth(_ position: Int, title: String) -> Int {
      rows.reduce(title.displayWidth) { max($0, $1[position].visible.displayWidth) }
    }
    var used = cellWidth(0, title: "ID")
    var fitting = 0
    for (position, column) in columns.enumerated() {
      let whole = cellWidth(position + 1, title: column.name)
      let least =
        !column.column.isFlexible ? whole : min(whole, max(Self.narrowestText, column.name.count))
      guard fitting == 0 || used + 2 + least <= width else { break }
      used += 2 + least
      fitting += 1
    }
    count = fitting
  }
}

extension StoreProperty {
  /// Whether cells of the property are aligned on the right.
  var isNumber: Bool {
    switch kind {
    case .attribute(let type): type.isNumber
    case .toOne: false
    case .toMany: true
    }
  }

  var column: TextTable.Column {
    if isNumber { return .number(name) }
    return isToOne || attributeType == .date || attributeType == .bool ? .whole(name) : .text(name)
  }
}

extension StoredObject {
  /// Returns the value of a property, or `nil` if the object's entity has no such property.
  func value(of property: StoreProperty) -> StoreValue? {
    entity.indexByName[property.name].map { values[$0] }
  }

  /// Returns a short form of a property's value.
  func shown(_ property: StoreProperty) -> String {
    guard let index = entity.indexByName[property.name] else { return "-" }
    if unread.contains(index) { return "in a file" }
    return ShownValue(values[index], entity.properties[index], in: entity).short
  }
}
