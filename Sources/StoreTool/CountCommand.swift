import CommandLineSupport
import OpenSwiftData

/// `storectl count`: how many rows an entity has.
enum CountCommand {
  static let entity = Argument("ENTITY", "The entity; all of them by default.", count: .optional)

  static let command = Command(
    "count",
    "Counts the rows of an entity, with those that inherit from it, or of every entity.",
    arguments: [OpenedStore.argument, entity]
  ) { invocation, console in
    let store = try OpenedStore(try invocation.required(OpenedStore.argument))
    if let name = invocation.text(entity) {
      let entity = try store.entity(named: name)
      console.print("\(try store.store.count(StoreQuery(entity: entity.name)))")
      return
    }
    var table = TextTable([.text("Entity"), .number("Rows")])
    for entity in store.entities {
      table.append([entity.name, "\(try store.count(entity))"])
    }
    console.write(table.text(width: console.width))
  }
}
