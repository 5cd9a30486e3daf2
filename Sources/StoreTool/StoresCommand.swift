import CommandLineSupport
import Foundation
import OpenSwiftData

/// `storectl stores`: lists the stores of a database.
enum StoresCommand {
  static let database = Argument(
    "URL",
    "The database: postgres://user@host/database, without a schema."
  )

  static let command = Command(
    "stores",
    "Lists the stores of a PostgreSQL database.",
    discussion: """
      A store is a schema of the database. The list has those that the user can
      read, with the version of their models, the number of their saves, the size
      of their tables and indexes, and the date of the last save in their history.
      On a Citus cluster it also has the node of each store.
      """,
    options: [InfoCommand.format],
    arguments: [database]
  ) { invocation, console in
    let url = try invocation.required(database)
    let stores = try PostgreSQLDatabase(url: url).stores().map(ListedStore.init)
    if try InfoCommand.isJSON(invocation) {
      return console.write(try JSONText.encoding(stores))
    }
    let isDistributed = stores.contains { $0.node != nil }
    var table = TextTable(
      [.whole("Store"), .text("Schema"), .number("Saves"), .number("Bytes"), .text("Last save")]
        + (isDistributed ? [.text("Node")] : [])
    )
    for store in stores {
      table.append(
        [
          store.name, store.schemaVersion, "\(store.saves)", "\(store.bytes)",
          store.lastSave.map { $0.formatted(.iso8601) } ?? "-",
        ] + (isDistributed ? [store.node ?? "-"] : [])
      )
    }
    if !stores.isEmpty { console.print(table.text(width: console.width)) }
    let bytes = ShownValue.bytes(Int(stores.reduce(0) { $0 + $1.bytes }))
    console.print("\(stores.count) \(stores.count == 1 ? "store" : "stores"), \(bytes)")
  }
}

/// A store in the output of `storectl stores`.
private struct ListedStore: Encodable {
  let name: String
  let identifier: String
  let schemaVersion: String
  let saves: Int64
  let bytes: Int64
  let lastSave: Date?
  let node: String?

  init(_ store: PostgreSQLStoreSummary) {
    name = store.name
    identifier = store.identifier
    schemaVersion = store.schemaVersion
    saves = store.saves
    bytes = store.bytes
    lastSave = store.lastSave
    node = store.node
  }
}
