import CommandLineSupport
import OpenSwiftData

/// `storectl info`: shows the kind and the capabilities of a store.
enum InfoCommand {
  static let format = Option(
    "format",
    value: "FORM",
    "The format of the output.",
    choices: ["text", "json"],
    default: "text"
  )

  /// Returns whether the output is JSON.
  static func isJSON(_ invocation: Invocation) throws -> Bool {
    try invocation.required(format) == "json"
  }

  /// Writes a result as JSON, or prints it as text.
  static func report(
    _ result: some Encodable,
    _ invocation: Invocation,
    to console: Console,
    asText print: () -> Void
  ) throws {
    if try isJSON(invocation) { console.write(try JSONText.encoding(result)) } else { print() }
  }

  static let command = Command(
    "info",
    "Shows the schema's version, the entities with their counts, and the store's capabilities.",
    options: [format],
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let store = try OpenedStore(try invocation.required(OpenedStore.argument))
    let info = try Info(store)
    try report(info, invocation, to: console) { info.print(to: console) }
  }
}

/// The output of `storectl info`.
private struct Info: Encodable {
  struct Entity: Encodable {
    let name: String
    let inherits: String?
    let attributes: Int
    let relationships: Int
    let rows: Int
  }

  let identifier: String
  let schemaVersion: String
  let capabilities: [String: String]
  let entities: [Entity]

  init(_ opened: OpenedStore) throws {
    identifier = opened.store.identifier
    schemaVersion = opened.store.schema.storeSchema.version
    capabilities = Self.words(opened.store.capabilities)
    entities = try opened.entities.map { entity in
      let relationships = entity.properties.count { $0.relationship != nil }
      return Entity(
        name: entity.name,
        inherits: entity.superentity,
        attributes: entity.properties.count - relationships,
        relationships: relationships,
        rows: try opened.count(entity)
      )
    }
  }

  func print(to console: Console) {
    console.print("Store    \(identifier.visible)")
    console.print("Schema   \(schemaVersion.visible)\n")
    var table = TextTable([
      .text("Entity"), .text("Inherits"), .number("Attributes"), .number("Relationships"),
      .number("Rows"),
    ])
    for entity in entities {
      table.append([
        entity.name, entity.inherits ?? "-", "\(entity.attributes)", "\(entity.relationships)",
        "\(entity.rows)",
      ])
    }
    console.print(table.text(width: console.width))
    for (name, support) in capabilities.sorted(by: { $0.key < $1.key }) {
      console.print("\(name): \(support)")
    }
  }

  private static func words(_ capabilities: StoreCapabilities) -> [String: String] {
    [
      "filtering": word(capabilities.filtering),
      "sorting": word(capabilities.sorting),
      "uniqueness": word(capabilities.uniqueness),
      "batch delete": word(capabilities.batchDelete),
      "history": word(capabilities.history),
      "migration": word(capabilities.migration),
      "concurrent processes": word(capabilities.concurrentProcesses),
      "durability": capabilities.durability.rawValue,
    ]
  }

  private static func word(_ support: StoreCapabilities.Support) -> String {
    switch support {
    case .native: "native"
    case .emulated: "in memory, not by the store"
    case .unsupported(let reason): "no: \(reason)"
    }
  }
}
