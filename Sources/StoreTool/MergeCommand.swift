import CommandLineSupport
import Foundation
import JSONFileStore
import OpenSwiftData

/// `storectl merge`: merges two versions of a JSON store, for version control.
enum MergeCommand {
  private static let base = Argument("BASE", "The common ancestor of both versions.")
  private static let ours = Argument("OURS", "Our version, which gets the result.")
  private static let theirs = Argument("THEIRS", "The other version.")
  private static let name = Argument("NAME", "The path of the store in use.", count: .optional)

  static let command = Command(
    "merge",
    "Merges two versions of a JSON store by objects, as a merge driver for git.",
    discussion: """
      In .gitattributes: *.json merge=storectl
      git config merge.storectl.driver "storectl merge %O %A %B %P"
      If both versions added an object with the same key, THEIRS gets a new key. If
      both changed a value differently, the conflict is reported and OURS is kept.
      Exits with status 1 if there is a conflict.
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
    let outcome = Outcome(renumbered: merge.renumbered, conflicts: merge.conflicts)
    try InfoCommand.report(outcome, invocation, to: console) {
      for conflict in merge.conflicts { console.print("\(file): \(conflict)".visible) }
    }
    guard merge.conflicts.isEmpty else {
      let count = merge.conflicts.count
      throw CommandFailure(
        "\(file) has \(count == 1 ? "a conflict" : "\(count) conflicts"), in which our values "
          + "were kept; open and change the store, or add it unchanged"
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
