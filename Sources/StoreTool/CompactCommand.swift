import CommandLineSupport
import OpenSwiftData

/// `storectl compact`: compacts a store.
enum CompactCommand {
  static let command = Command(
    "compact",
    "Shrinks a store's files by removing deleted data from them.",
    options: [InfoCommand.format],
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let url = try invocation.required(OpenedStore.argument)
    try OpenedStore(url, forWriting: true).maintainable().compact()
    try InfoCommand.report(["store": url], invocation, to: console) { console.print("Compacted.") }
  }
}
