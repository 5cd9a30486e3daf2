import CommandLineSupport
import OpenSwiftData

/// `storectl diff`: compares the contents of two stores.
enum DiffCommand {
  private static let first = Argument("A", "A store.")
  private static let second = Argument("B", "The store to compare it with.")
  private static let rule = Option(
    "by",
    value: "WHAT",
    "How objects are matched: by their keys, their unique values, or their order.",
    choices: ObjectMatching.Rule.allCases.map(\.rawValue),
    default: "identity"
  )

  private static let summary = Option.flag("summary", "Show only the counts of each entity.")
  private static let limit = Option("limit", value: "N", "Show at most N differing objects.")

  /// The largest number of columns of a line with a changed value.
  private static let longestLine = 200

  static let command = Command(
    "diff",
    "Compares the objects of two stores, which may be of different kinds.",
    discussion: """
      A line begins with - for an object that only A has, + for one that only B
      has, ~ for one with different values, which follow. By unique values, entities
      without unique values are compared by their keys. By order, the first object of
      A is compared with the first of B, and so on, for copies with new keys. Exits
      with status 1 if the stores differ.
      """,
    options: [rule, summary, limit, InfoCommand.format],
    arguments: [first, second]
  ) { invocation, console in
    let one = try OpenedStore(try invocation.required(first))
    let other = try OpenedStore(try invocation.required(second))
    let rule = ObjectMatching.Rule(rawValue: try invocation.required(rule)) ?? .identity
    let isJSON = try InfoCommand.isJSON(invocation)
    let most = invocation.isSet(summary) ? 0 : try invocation.integer(limit) ?? Int.max
    var difference = try StoreDifference(one, other, by: rule)
    var reported: [ObjectDifference] = []
    var count = 0
    try difference.run { object in
      count += 1
      guard count <= most else { return }
      if isJSON { return reported.append(object) }
      for line in object.lines { console.print(line.shown(to: longestLine)) }
    }
    let sameSchema =
      one.store.schema.storeSchema.entities == other.store.schema.storeSchema.entities
    if isJSON {
      console.write(
        try JSONText.encoding(
          Output(hasSameSchema: sameSchema, entities: difference.counts, objects: reported)
        )
      )
    } else if invocation.isSet(summary) {
      console.write(table(difference.counts).text(width: console.width))
    } else if count > most {
      console.print("and \(count - most) more")
    }
    try checkDifference(difference, sameSchema, prints: !isJSON, console)
  }

  /// The output of `--format json`.
  private struct Output: Encodable {
    let hasSameSchema: Bool
    let entities: [StoreDifference.Count]
    let objects: [ObjectDifference]
  }

  private static func table(_ counts: [StoreDifference.Count]) -> TextTable {
    var table = TextTable([
      .text("Entity"), .number("Added"), .number("Removed"), .number("Changed"),
    ])
    for count in counts {
      table.append([count.entity, "\(count.added)", "\(count.removed)", "\(count.changed)"])
    }
    return table
  }

  private static func checkDifference(
    _ difference: StoreDifference,
    _ sameSchema: Bool,
    prints: Bool,
    _ console: Console
  ) throws {
    if difference.total == 0, sameSchema {
      if prints { console.print("The stores have the same objects.") }
      return
    }
    func sum(_ part: KeyPath<StoreDifference.Count, Int>) -> Int {
      difference.counts.reduce(0) { $0 + $1[keyPath: part] }
    }
    let counts = "\(sum(\.added)) added, \(sum(\.removed)) removed, \(sum(\.changed)) changed"
    let schemas = sameSchema ? "" : "; their schemas also differ"
    throw CommandFailure("the stores differ: \(counts)\(schemas)")
  }
}
