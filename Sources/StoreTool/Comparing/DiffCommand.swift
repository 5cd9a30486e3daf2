import CommandLineSupport
import OpenSwiftData

/// `storectl diff`: what two stores hold differently.
enum DiffCommand {
  private static let first = Argument("A", "A store.")
  private static let second = Argument("B", "The store to compare it with.")
  private static let rule = Option(
    "by",
    value: "WHAT",
    "What makes two objects the same: their keys, or their unique values.",
    choices: ObjectMatching.Rule.allCases.map(\.rawValue),
    default: "identity"
  )

  /// How many columns a line of a changed value has.
  private static let longestLine = 200

  static let command = Command(
    "diff",
    "Compares the objects of two stores, which may be of different kinds.",
    discussion: """
      A line begins with - for an object that only A has, + for one that only B has, ~
      for one with other values, which follow. Entities without unique values are
      compared by their keys. Leaves 1 where the stores differ.
      """,
    options: [rule],
    arguments: [first, second]
  ) { invocation, console in
    let one = try OpenedStore(try invocation.required(first))
    let other = try OpenedStore(try invocation.required(second))
    let rule = ObjectMatching.Rule(rawValue: try invocation.required(rule)) ?? .identity
    var difference = try StoreDifference(one, other, by: rule)
    try difference.run { console.print($0.visible.truncated(to: longestLine)) }
    let sameSchema =
      one.store.schema.storeSchema.entities == other.store.schema.storeSchema.entities
    if difference.isEmpty, sameSchema {
      console.print("The stores hold the same objects.")
      return
    }
    let counts = "\(difference.added) added, \(difference.removed) removed,"
    let schemas = sameSchema ? "" : "; their schemas differ as well"
    throw CommandFailure("the stores differ: \(counts) \(difference.changed) changed\(schemas)")
  }
}
