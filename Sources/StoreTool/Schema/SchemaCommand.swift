import CommandLineSupport
import CoreDataStore
import Foundation
import OpenSwiftData

/// `storectl schema`: shows a store's schema, and whether it equals a schema lock.
enum SchemaCommand {
  static let lock = Argument("LOCK", "The schema lock, a file to keep under version control.")
  static let other = Argument("OTHER", "The URL of a store, or another schema lock.")

  private static let format = Option(
    "format",
    value: "FORM",
    "The format of the output.",
    choices: ["text", "json", "mermaid", "graphviz"],
    default: "text"
  )

  static let command = Command(
    "schema",
    "Shows a store's schema, writes it to a schema lock, and compares both.",
    commands: [show, write, check],
    standardCommand: "show"
  )

  private static let swift = Option.flag(
    "swift",
    "Write @Model classes that open the store, or a copy of it, as Swift source."
  )

  private static let show = Command(
    "show",
    "Shows the version, the fingerprint, and every property of a store's schema.",
    discussion: """
      mermaid and graphviz are diagrams: as ```mermaid in Markdown, and for dot -Tsvg.
      In classes, types of structured values are derived from the first 1,000 objects.
      """,
    options: [format, swift],
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let store = try OpenedStore(try invocation.required(OpenedStore.argument)).store
    let schema = store.schema.storeSchema
    if invocation.isSet(swift) {
      guard !invocation.isSet(format) else {
        throw UsageError("--swift writes Swift source; omit --format")
      }
      console.write(SwiftSource.text(schema, shapes: try shapes(of: store, schema)))
      return
    }
    switch try invocation.required(format) {
    case "json": console.write(try JSONText.encoding(schema))
    case "mermaid": console.write(SchemaText.mermaid(schema))
    case "graphviz": console.write(SchemaText.graphviz(schema))
    default: for line in SchemaText.lines(schema) { console.print(line.visible) }
    }
  }

  /// The forms of the structured values of a store, by `Entity.property`.
  private static func shapes(
    of store: any RecordStore,
    _ schema: StoreSchema
  ) throws -> [String: ValueShape] {
    var shapes = ((store as? CoreDataStore)?.enumerationCases ?? [:]).mapValues { names in
      ValueShape.enumeration(names.map { ValueShape.Case(name: $0, values: []) })
    }
    for entity in schema.entities {
      let properties = entity.properties.filter { $0.attributeType == .codable }
      guard !properties.isEmpty else { continue }
      let query = StoreQuery(entity: entity.name, limit: 1_000)
      for record in try store.fetch(query) {
        for property in properties {
          let key = "\(entity.name).\(property.name)"
          let shape = ValueShape(record[property.name] ?? .null)
          // Values without a common shape keep the one that was found first.
          shapes[key] = (shapes[key] ?? .unknown).joined(with: shape) ?? shapes[key]
        }
      }
    }
    return shapes
  }

  private static let write = Command(
    "lock",
    "Adds a store's schema to a lock; an existing version must be equal.",
    options: [InfoCommand.format],
    arguments: [OpenedStore.argument, lock]
  ) { invocation, console in
    let schema = try Self.schema(of: OpenedStore.url(invocation, before: lock))
    try Schema(storeSchema: schema)
      .writeLock(to: URL(filePath: try invocation.required(lock)))
    if try InfoCommand.isJSON(invocation) { console.write(try fingerprints([schema])) }
  }

  private static let check = Command(
    "check",
    "Fails with the difference if a store or another lock differs from a lock.",
    options: [InfoCommand.format],
    arguments: [lock, other]
  ) { invocation, console in
    let lock = try SchemaLock(contentsOf: URL(filePath: try invocation.required(lock)))
    let text = try invocation.required(other)
    let isStore = (try? StoreURL(text)) != nil
    let schemas =
      isStore
      ? [try schema(of: text)] : try SchemaLock(contentsOf: URL(filePath: text)).schemas
    for schema in schemas { try lock.check(schema) }
    if try InfoCommand.isJSON(invocation) { return console.write(try fingerprints(schemas)) }
    for schema in schemas {
      console.print("\(schema.version) \(schema.fingerprint) matches the lock")
    }
  }

  private static func fingerprints(_ schemas: [StoreSchema]) throws -> String {
    try JSONText.encoding(schemas.map { ["version": $0.version, "fingerprint": $0.fingerprint] })
  }

  private static func schema(of url: String) throws -> StoreSchema {
    try OpenedStore(url).store.schema.storeSchema
  }
}
