import CommandLineSupport
import OpenSwiftData

/// `storectl stats`: shows the sizes and contents of a store.
enum StatsCommand {
  static let command = Command(
    "stats",
    "Shows sizes, counts, indexes, and the minimum and maximum of every attribute.",
    discussion: """
      Every row is read once, without values stored in files; memory use does not
      grow with the rows. Longest is the number of characters of a string or of bytes
      of data.
      """,
    options: [InfoCommand.format],
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let statistics = try Statistics(OpenedStore(try invocation.required(OpenedStore.argument)))
    try InfoCommand.report(statistics, invocation, to: console) { statistics.print(to: console) }
  }
}

/// The output of `storectl stats`.
private struct Statistics: Encodable {
  struct Entity: Encodable {
    let name: String
    let rows: Int
    let indexes: [[String]]
    let unique: [[String]]
    let attributes: [AttributeStatistics]
  }

  let files: [StoreFilesOnDisk.File]
  let bytes: Int
  let rows: Int
  let entities: [Entity]

  init(_ opened: OpenedStore) throws {
    let onDisk = StoreFilesOnDisk(url: opened.url)
    files = onDisk.files
    bytes = onDisk.total
    entities = try opened.entities.map { try Self.entity($0, opened) }
    rows = entities.reduce(0) { $0 + $1.rows }
  }

  private static func entity(_ entity: StoreEntity, _ opened: OpenedStore) throws -> Entity {
    let attributes = entity.properties.enumerated().filter { $0.element.attributeType != nil }
    var found = attributes.map { AttributeStatistics($0.element, in: entity) }
    var rows = 0
    let query = StoreQuery(entity: entity.name, includesSubentities: false)
    try opened.store.read(query) { reader in
      rows += 1
      for (position, attribute) in attributes.enumerated()
      where !reader.isDeferred(at: attribute.offset) {
        found[position].add(try reader.value(at: attribute.offset))
      }
    }
    for position in found.indices { found[position].finish() }
    return Entity(
      name: entity.name,
      rows: rows,
      indexes: entity.indices,
      unique: entity.uniquenessConstraints,
      attributes: found
    )
  }

  func print(to console: Console) {
    let files = files.map { file in
      let inside = file.files.map { " in \($0) \($0 == 1 ? "file" : "files")" } ?? ""
      return "\(file.name.visible)  \(ShownValue.bytes(file.bytes))\(inside)"
    }
    for line in files { console.print(line) }
    if self.files.count > 1 { console.print("together  \(ShownValue.bytes(bytes))") }
    console.print("\(rows) \(rows == 1 ? "row" : "rows")")
    for entity in entities { print(entity, to: console) }
  }

  private func print(_ entity: Entity, to console: Console) {
    console.print("\n\(entity.name.visible): \(entity.rows) \(entity.rows == 1 ? "row" : "rows")")
    for names in entity.unique { console.print("unique \(names.joined(separator: ", ").visible)") }
    for names in entity.indexes { console.print("index \(names.joined(separator: ", ").visible)") }
    guard entity.rows > 0, !entity.attributes.isEmpty else { return }
    var table = TextTable([
      .whole("Attribute"), .whole("Type"), .number("Null"), .text("Least"), .text("Greatest"),
      .number("Longest"),
    ])
    let longest = max(console.width, 200)
    for attribute in entity.attributes {
      table.append([
        attribute.property, attribute.type, "\(attribute.nulls)",
        attribute.least?.shown(to: longest) ?? "-", attribute.greatest?.shown(to: longest) ?? "-",
        attribute.longest.map(String.init) ?? "-",
      ])
    }
    console.write(table.text(width: console.width))
  }
}
