import CommandLineSupport
import Foundation
import OpenSwiftData

/// `storectl erase`: empties a store, or removes its files.
enum EraseCommand {
  private static let force = Option.flag(
    "yes",
    "Erase; without it, only show what would be removed."
  )

  static let command = Command(
    "erase",
    "Permanently removes all objects of a store and its history.",
    discussion: """
      The store keeps its schema, and keys are never reused. Without --yes the
      command shows the number of objects and leaves the store unchanged.
      """,
    options: [force, InfoCommand.format],
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let isMeant = invocation.isSet(force)
    let opened = try OpenedStore(
      try invocation.required(OpenedStore.argument),
      forWriting: isMeant
    )
    let count = try opened.entities.reduce(0) { try $0 + opened.count($1) }
    let objects = "\(count) \(count == 1 ? "object" : "objects")"
    guard isMeant else {
      throw CommandFailure("the store has \(objects); erase them with --yes, after a backup")
    }
    try opened.store.erase()
    try InfoCommand.report(["objects": count], invocation, to: console) {
      console.print("Erased \(objects).")
    }
  }
}
