import CommandLineSupport
import OpenSwiftData

/// `storectl count`: counts the objects of an entity.
enum CountCommand {
  static let entity = Argument("ENTITY", "The entity; all entities by default.", count: .optional)

  static let command = Command(
    "count",
    "Counts the objects of an entity and its subentities, or of every entity.",
    options: [ListCommand.condition, InfoCommand.format],
    arguments: [OpenedStore.argument, entity]
  ) { invocation, console in
    let store = try OpenedStore(OpenedStore.url(invocation, before: entity))
    let isJSON = try InfoCommand.isJSON(invocation)
    if let name = invocation.text(entity) {
      let entity = try store.entity(named: name)
      let count = try store.store.count(ListCommand.query(invocation, of: entity, in: store))
      console.write(isJSON ? try JSONText.encoding([entity.name: count]) : "\(count)\n")
      return
    }
    guard invocation.texts(ListCommand.condition).isEmpty else {
      throw UsageError("--where needs an entity: storectl count URL ENTITY --where CONDITION")
    }
    let counts = try store.entities.map { ($0.name, try store.count($0)) }
    if isJSON {
      let byName = Dictionary(firstOf: counts)
      return console.write(try JSONText.encoding(byName))
    }
    var table = TextTable([.text("Entity"), .number("Rows")])
    for (name, count) in counts { table.append([name, "\(count)"]) }
    console.write(table.text(width: console.width))
  }
}
