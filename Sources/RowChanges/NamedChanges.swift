/// The parts of a batch that its history needs in addition to the rows before and after it.
package struct NamedChanges: Sendable {
  /// The properties that the changes name, by the key of the row; others may change too.
  var properties: [Int64: [Int]] = [:]
  /// The rows that lost a one-to-one counterpart by a merge, even one that the batch had set.
  var detached: Set<Int64> = []

  package init() {}
}
