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
      guard store.entities.contains(where: { $0.name == name }) else {
        let known = store.entities.map(\.name).joined(separator: ", ")
        throw CommandFailure("the store has no entity '\(name)'; it has \(known)")
      }
      console.print("\(try store.store.count(StoreQuery(entity: name)))")
      return
    }
    var table = TextTable([.text("Entity"), .number("Rows")])
    for entity in store.entities {
      table.append([entity.name, "\(try store.count(entity))"])
    }
    console.write(table.text(width: console.width))
  }
}
