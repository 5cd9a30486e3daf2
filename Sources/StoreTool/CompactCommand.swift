import CommandLineSupport
import OpenSwiftData

/// `storectl compact`: brings a store into its smallest form.
enum CompactCommand {
  static let command = Command(
    "compact",
    "Brings a store into its smallest form: what was deleted leaves its files.",
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let url = try invocation.required(OpenedStore.argument)
    try OpenedStore(url, forWriting: true).maintainable().compact()
    console.print("Compacted.")
  }
}
