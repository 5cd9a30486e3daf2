import StoreProtocol

/// The net changes of several transactions, row by row.
struct HistoryNet {
  private var changes: [PersistentIdentifier: StoreChange] = [:]
  private var order: [PersistentIdentifier] = []

  /// Adds the changes of the next transaction.
  mutating func add(_ transaction: StoreTransaction) {
    for change in transaction.changes {
      let identifier = change.identifier
      guard let earlier = changes[identifier] else {
        changes[identifier] = change
        order.append(identifier)
        continue
      }
      changes[identifier] = Self.joined(earlier, change)
    }
  }

  /// One change for each row that differs, in the order in which rows were first changed.
  var result: [StoreChange] { order.compactMap { changes[$0] } }

  /// Returns both changes as one, or `nil` if they cancel each other.
  private static func joined(_ first: StoreChange, _ second: StoreChange) -> StoreChange? {
    let before = second.before.merging(first.before) { _, earlier in earlier }
    let after = first.after.merging(second.after) { _, later in later }
    switch (first.kind, second.kind) {
    case (.insert, .delete): return nil
    case (.insert, _): return StoreChange(.insert, first.identifier, after: after)
    case (_, .delete):
      return StoreChange(.delete, first.identifier, cause: second.cause, before: before)
    default:
      let new = second.properties.filter { !first.properties.contains($0) }
      let ruled = first.cause == .deleteRule && second.cause == .deleteRule
      let merged = first.cause == .merge || second.cause == .merge
      return StoreChange(
        .update,
        first.identifier,
        properties: first.properties + new,
        cause: merged ? .merge : ruled ? .deleteRule : .program,
        clearedProperties: cleared(first, second),
        before: before,
        after: after
      )
    }
  }

  /// The properties that delete rules changed and the program did not.
  private static func cleared(_ first: StoreChange, _ second: StoreChange) -> [String] {
    [first, second].flatMap(\.clearedProperties).withoutRepeats.filter { name in
      [first, second].allSatisfy {
        !$0.properties.contains(name) || $0.clearedProperties.contains(name)
      }
    }
  }
}
