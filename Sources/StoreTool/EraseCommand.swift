import CommandLineSupport
import Foundation
import OpenSwiftData

/// `storectl erase`: empties a store, or removes its files.
enum EraseCommand {
  private static let force = Option.flag("yes", "Do it; without it, say what would be removed.")

  static let command = Command(
    "erase",
    "Removes all objects of a store and its history, irrevocably.",
    discussion: """
      The store stays, with its schema, and no key is used again. Without --yes the
      command says how many objects there are and leaves the store unchanged.
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
    if try InfoCommand.isJSON(invocation) {
      console.write(try JSONText.encoding(["objects": count]))
    } else {
      console.print("Erased \(objects).")
    }
  }
}
