import CommandLineSupport
import Foundation
import OpenSwiftData

/// `storectl history`: what saves changed.
enum HistoryCommand {
  static let since = Option("since", value: "N", "Show what came after this transaction.")
  static let author = Option("author", value: "NAME", "Show the transactions of this author.")
  static let entity = Option("entity", value: "NAME", "Show the transactions that changed it.")
  static let limit = Option("limit", value: "N", "Show this many transactions, the newest.")
  static let follow = Option.flag("follow", short: "f", "Go on with what is saved from now on.")

  static let command = Command(
    "history",
    "Shows what the saves of a store changed, the oldest first.",
    discussion: """
      Each row is +inserted, ~updated (with its properties) or -deleted. With --follow
      the program goes on until it is stopped; the saves of a program that has a JSON
      store for itself show when it closes the store.
      """,
    options: [since, author, entity, limit, follow],
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let url = try invocation.required(OpenedStore.argument)
    let conditions = try conditions(invocation)
    let last = try showKept(url, conditions, try invocation.integer(limit), to: console)
    guard invocation.isSet(follow) else { return }
    try await showNew(HistoryFollower(url, filter: conditions, after: last), to: console)
  }

  /// Shows what the history has.
  ///
  /// - Returns: The number of the last save.
  private static func showKept(
    _ url: String,
    _ conditions: [StoreHistoryFilter],
    _ limit: Int?,
    to console: Console
  ) throws -> Int64 {
    let opened = try OpenedStore(url)
    guard let store = opened.store as? any HistoryKeeping else {
      throw CommandFailure("a \(type(of: opened.store)) keeps no history")
    }
    var query = StoreHistoryQuery(
      filter: .all(conditions),
      order: [.init(.number, isReversed: true)]
    )
    query.limit = limit
    let found = try store.transactions(query)
    for transaction in found.reversed() { print(transaction, to: console) }
    let bounds = try store.historyBounds()
    console.print("\(found.count) of the transactions \(bounds.cut + 1) to \(bounds.last)")
    return bounds.last
  }

  /// Shows what is saved from now on, until the task is cancelled or the process ends.
  private static func showNew(_ follower: HistoryFollower, to console: Console) async throws {
    var follower = follower
    while !Task.isCancelled {
      for transaction in try follower.next() { print(transaction, to: console) }
      try console.output.flush()
      try await Task.sleep(for: .milliseconds(300))
    }
  }

  private static func conditions(_ invocation: Invocation) throws -> [StoreHistoryFilter] {
    var conditions: [StoreHistoryFilter] = []
    if let number = try invocation.integer(since) {
      conditions.append(.number(.greater, Int64(number)))
    }
    if let name = invocation.text(author) { conditions.append(.text(.author, [name])) }
    if let name = invocation.text(entity) { conditions.append(.changes(entities: [name])) }
    return conditions
  }

  private static func print(_ transaction: StoreTransaction, to console: Console) {
    let who = transaction.author.map { "\($0.visible), " } ?? ""
    console.print(
      "\(transaction.number)  \(transaction.timestamp.formatted(.iso8601))  \(who)"
        + "\(transaction.bundleIdentifier.visible) (\(transaction.processIdentifier.visible))"
    )
    for change in transaction.changes {
      let sign =
        switch change.kind {
        case .insert: "+"
        case .update: "~"
        case .delete: "-"
        }
      let names = change.properties.isEmpty ? "" : " \(change.properties.joined(separator: ", "))"
      console.print("  \(sign)\("\(change.identifier)\(names)".visible)")
    }
  }
}
