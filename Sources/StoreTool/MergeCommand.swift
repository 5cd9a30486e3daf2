import CommandLineSupport
import Foundation
import JSONFileStore
import OpenSwiftData

/// `storectl merge`: merges two versions of a JSON store, for version control.
enum MergeCommand {
  private static let base = Argument("BASE", "The version that both come from.")
  private static let ours = Argument("OURS", "Our version, which gets the result.")
  private static let theirs = Argument("THEIRS", "The other version.")
  private static let name = Argument("NAME", "The path of the store in use.", count: .optional)

  static let command = Command(
    "merge",
    "Merges two versions of a JSON store object by object, as a merge driver of git.",
    discussion: """
      In .gitattributes: *.json merge=storectl
      git config merge.storectl.driver "storectl merge %O %A %B %P"
      An object that both added under one key is two objects: that of theirs gets a
      new key. What both changed in different ways is told, and stays as in OURS.
      Exits with status 1 if there is such a conflict.
      """,
    options: [InfoCommand.format],
    arguments: [base, ours, theirs, name]
  ) { invocation, console in
    let merge = try DocumentMerge(
      base: path(try invocation.required(base)),
      ours: path(try invocation.required(ours)),
      theirs: path(try invocation.required(theirs)),
      name: invocation.text(name)
    )
    try merge.write()
    let file = try invocation.text(name) ?? invocation.required(ours)
    if try InfoCommand.isJSON(invocation) {
      let outcome = Outcome(renumbered: merge.renumbered, conflicts: merge.conflicts)
      console.write(try JSONText.encoding(outcome))
    } else {
      for conflict in merge.conflicts { console.print("\(file): \(conflict)".visible) }
    }
    guard merge.conflicts.isEmpty else {
      let count = merge.conflicts.count
      throw CommandFailure(
        "\(file) has \(count == 1 ? "a conflict" : "\(count) conflicts"), in which it has our "
          + "values; it can be opened, changed, and added as it is"
      )
    }
  }

  /// The output of `--format json`.
  private struct Outcome: Encodable {
    let renumbered: Int
    let conflicts: [DocumentMerge.Conflict]
  }

  /// Returns the path of a document, which may be given as a store's URL.
  private static func path(_ text: String) -> String {
    guard let url = try? StoreURL(text), url.scheme == "json" else { return text }
    return url.path
  }
}
