import CommandLineSupport
import OpenSwiftData

/// `storectl copy`: brings everything from one store to another and compares both.
enum CopyCommand {
  static let source = Argument("FROM", "The store to read.")
  static let target = Argument("TO", "The store to fill, which is empty or not there yet.")

  static let command = Command(
    "copy",
    "Copies everything from one store to another and compares both.",
    arguments: [source, target]
  ) { invocation, console in
    let from = try invocation.required(source)
    let schema = try OpenedStore(from).store.schema
    let origin = try ModelContainer(for: schema, store: from)
    let copy = try ModelContainer(for: schema, store: try invocation.required(target))
    var bar: ProgressBar?
    defer { bar?.finish() }
    let report = try origin.copy(to: copy) { copied, total in
      if bar == nil { bar = ProgressBar("copy", total: total, console: console) }
      bar?.advance(to: copied)
    }
    console.print("Copied and compared \(report.total) objects.")
  }
}
