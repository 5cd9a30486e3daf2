import CommandLineSupport
import OpenSwiftData

/// `storectl copy`: copies everything from one store to another and compares both.
enum CopyCommand {
  static let source = Argument("FROM", "The store to read.")
  static let target = Argument("TO", "The store to fill, which is empty or does not exist yet.")

  static let command = Command(
    "copy",
    "Copies all objects from one store to another and compares both.",
    discussion: """
      A new store appears when all objects are written and compared; until then it
      is in the folder FILE.copying beside its path. An empty store stays empty until
      all objects are written and compared. In a new store all objects keep their
      keys, and the next object gets the same key as in the original. A store that
      once had objects assigns new keys; compare it with storectl diff --by order.
      """,
    options: [InfoCommand.format],
    arguments: [source, target]
  ) { invocation, console in
    let from = try invocation.required(source)
    let read = try OpenedStore(from)
    let schema = read.store.schema
    let origin = try ModelContainer(for: schema, store: read.openedURL)
    let to = try invocation.required(target)
    var bar: ProgressBar?
    defer { bar?.finish() }
    let progress = { (copied: Int, total: Int) in
      if bar == nil { bar = ProgressBar("copy", total: total, console: console) }
      bar?.advance(to: copied)
    }
    let report = try origin.copy(schema, toNewOrEmpty: to, progress: progress)
    let outcome = Outcome(objects: report.total, keepsKeys: report.keepsKeys)
    try InfoCommand.report(outcome, invocation, to: console) {
      console.print("Copied and compared \(report.total) objects.")
      if !report.keepsKeys { console.print("They have new keys: \(OpenedStore.hintOfOrder)") }
    }
  }

  /// The output of `--format json`.
  private struct Outcome: Encodable {
    let objects: Int
    let keepsKeys: Bool
  }
}

extension ModelContainer {
  /// Copies all objects to a store that does not exist yet, or to an empty one.
  func copy(
    _ schema: Schema,
    toNewOrEmpty target: String,
    progress: (Int, Int) -> Void
  ) throws -> CopyReport {
    try OpenedStore.isFile(target)
      ? copy(toNewStore: target, progress: progress)
      : copy(to: ModelContainer(for: schema, store: target), progress: progress)
  }
}
