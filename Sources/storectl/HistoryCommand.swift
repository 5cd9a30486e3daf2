import CommandLineSupport
import Foundation
import OpenSwiftData

/// `storectl history`: what saves changed.
enum HistoryCommand {
  static let since = Option("since", value: "N", "Show what came after this transaction.")
  static let author = Option("author", value: "NAME", "Show the transactions of this author.")
  static let entity = Option("entity", value: "NAME", "Show the transactions that changed it.")
  static let limit = Option("limit", value: "N", "Show this many transactions, the newest.")

  static let command = Command(
    "history",
    "Shows what the saves of a store changed, the oldest first.",
    discussion: "Each row is +inserted, ~updated (with its properties) or -deleted.",
    options: [since, author, entity, limit],
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let opened = try OpenedStore(try invocation.required(OpenedStore.argument))
    guard let store = opened.store as? any HistoryKeeping else {
      throw CommandFailure("a \(type(of: opened.store)) keeps no history")
    }
    var query = StoreHistoryQuery(
      filter: .all(try conditions(invocation)),
      order: [.init(.number, isReversed: true)]
    )
    query.limit = try invocation.integer(limit)
    let found = try store.transactions(query)
    for transaction in found.reversed() { print(transaction, to: console) }
    let bounds = try store.historyBounds()
    console.print("\(found.count) of the transactions \(bounds.cut + 1) to \(bounds.last)")
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
