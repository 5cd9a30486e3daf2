import CommandLineSupport
import Foundation
import OpenSwiftData

/// `storectl backup`: copies one state of a store that may be in use.
enum BackupCommand {
  static let target = Argument("FILE", "The file of the copy, which must not exist yet.")

  static let command = Command(
    "backup",
    "Writes a consistent copy of a store, even while programs use it.",
    discussion: "The copy is a store of the same kind. No existing file is replaced.",
    options: [InfoCommand.format],
    arguments: [OpenedStore.argument, target]
  ) { invocation, console in
    let store = try OpenedStore(OpenedStore.url(invocation, before: target))
    let file = try invocation.required(target)
    guard (try? StoreURL(file)).map({ ["sqlite", "json", "memory"].contains($0.scheme) }) != true
    else {
      throw UsageError("the copy is a file, not a store's URL; omit the scheme of '\(file)'")
    }
    try store.maintainable().backup(to: URL(filePath: file))
    try InfoCommand.report(["file": file], invocation, to: console) {
      console.print("Copied to \(file.visible).")
    }
  }
}
