import CommandLineSupport
import OpenSwiftData

/// `storectl move`: moves a store of a database to another node.
enum MoveCommand {
  private static let store = Argument("STORE", "The name of the store, as in 'storectl stores'.")
  private static let node = Option("to", value: "NODE", "The node, as host:port.")

  static let command = Command(
    "move",
    "Moves a store to another node of a Citus cluster.",
    discussion: """
      Programs can use the store meanwhile. The URL is that of the coordinator, or
      has it as the parameter ddlURL.
      """,
    options: [node, InfoCommand.format],
    arguments: [StoresCommand.database, store]
  ) { invocation, console in
    let name = try invocation.required(store)
    let target = try invocation.required(node)
    let database = try PostgreSQLDatabase(url: try invocation.required(StoresCommand.database))
    try database.move(storeNamed: name, to: target)
    try InfoCommand.report(["name": name, "node": target], invocation, to: console) {
      console.print("Moved \(name.visible) to \(target.visible).")
    }
  }
}
