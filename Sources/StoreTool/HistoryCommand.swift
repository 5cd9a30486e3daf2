import CommandLineSupport
import Foundation
import OpenSwiftData

/// `storectl history`: shows the changes of saves.
enum HistoryCommand {
  static let since = Option("since", value: "N", "Show the transactions after this one.")
  static let until = Option("until", value: "N", "Show the transactions up to this one.")
  static let after = Option(
    "after",
    value: "TIME",
    "Show the transactions saved at this time or later."
  )
  static let before = Option(
    "before",
    value: "TIME",
    "Show the transactions saved before this time."
  )
  static let author = Option("author", value: "NAME", "Show the transactions of this author.")
  static let entity = Option(
    "entity",
    value: "NAME",
    "Show the transactions that changed this entity or object."
  )
  static let limit = Option(
    "limit",
    value: "N",
    "Show at most this many transactions, the newest ones."
  )
  static let readers = Option.flag("readers", "Show the named readers and the position of each.")
  static let forget = Option(
    "forget-reader",
    value: "NAME",
    "Remove an unused reader, so that the history keeps no transactions for it."
  )
  static let follow = Option.flag("follow", short: "f", "Keep running and show new transactions.")

  static let command = Command(
    "history",
    "Shows the changes of a store's saves, the oldest first.",
    discussion: """
      Each row is +inserted, ~updated (with its properties) or -deleted. With --follow
      the program runs until it is stopped. A time is 2026-05-01 or
      2026-05-01T09:30:00Z, in UTC. More than 100 rows with consecutive keys are
      one line with the first and the last.
      """,
    options: [
      since, until, after, before, author, entity, limit, follow, readers, forget,
      InfoCommand.format,
    ],
    arguments: [OpenedStore.argument]
  ) { invocation, console in
    let url = try invocation.required(OpenedStore.argument)
    let isJSON = try InfoCommand.isJSON(invocation)
    if let name = invocation.text(forget) { return try removeReader(name, of: url, to: console) }
    if invocation.isSet(readers) { return try showReaders(of: url, isJSON, to: console) }
    let last = try showKept(url, invocation, isJSON, to: console)
    guard invocation.isSet(follow) else { return }
    let filter = try conditions(invocation)
    try await showNew(HistoryFollower(url, filter: filter, after: last), isJSON, to: console)
  }

  /// Shows the transactions in the history.
  ///
  /// - Returns: The number of the last save.
  private static func showKept(
    _ url: String,
    _ invocation: Invocation,
    _ isJSON: Bool,
    to console: Console
  ) throws -> Int64 {
    let opened = try OpenedStore(url)
    if let name = invocation.text(entity) { _ = try opened.entity(named: name) }
    let store = try history(of: opened)
    var query = StoreHistoryQuery(
      filter: .all(try conditions(invocation)),
      order: [.init(.number, isReversed: true)]
    )
    query.limit = try invocation.integer(limit)
    let found = try store.transactions(query)
    for transaction in found.reversed() { try print(transaction, isJSON, to: console) }
    let bounds = try store.historyBounds()
    if isJSON { return bounds.last }
    console.print("\(found.count) of transactions \(bounds.cut + 1) to \(bounds.last)")
    return bounds.last
  }

  private static func history(of opened: OpenedStore) throws -> any HistoryKeeping {
    guard let store = opened.store as? any HistoryKeeping else {
      throw CommandFailure("a \(type(of: opened.store)) keeps no history")
    }
    return store
  }

  private static func showReaders(of url: String, _ isJSON: Bool, to console: Console) throws {
    let store = try history(of: OpenedStore(url))
    let bounds = try store.historyBounds()
    for reader in try store.historyReaders() {
      let shown = ShownReader(reader, bounds)
      if isJSON {
        console.write(try JSONText.line(shown))
      } else {
        let missing =
          shown.missesTransactions ? "; transactions that it has not read were deleted" : ""
        console.print(
          "\(shown.name.visible)  has read up to \(shown.number) of \(bounds.last), at "
            + "\(shown.time)"
            + missing
        )
      }
    }
  }

  private static func removeReader(_ name: String, of url: String, to console: Console) throws {
    let store = try history(of: OpenedStore(url, forWriting: true))
    let normalized = name.precomposedStringWithCanonicalMapping
    guard try store.historyReaders().contains(where: { $0.name == normalized }) else {
      throw CommandFailure(
        "the history has no reader '\(name.visible)'; --readers lists its readers"
      )
    }
    try store.removeHistoryReader(name)
    console.print("removed the reader \(name.visible)")
  }

  /// Shows new saves until the task is canceled or the process ends.
  private static func showNew(
    _ follower: HistoryFollower,
    _ isJSON: Bool,
    to console: Console
  ) async throws {
    var follower = follower
    while !Task.isCancelled {
      for transaction in try follower.next() { try print(transaction, isJSON, to: console) }
      try console.output.flush()
      try await Task.sleep(for: .milliseconds(300))
    }
  }

  private static func conditions(_ invocation: Invocation) throws -> [StoreHistoryFilter] {
    var conditions: [StoreHistoryFilter] = []
    if let number = try invocation.integer(since) {
      conditions.append(.number(.greater, Int64(number)))
    }
    if let number = try invocation.integer(until) {
      conditions.append(.number(.lessOrEqual, Int64(number)))
    }
    if let text = invocation.text(after) {
      conditions.append(.timestamp(.greaterOrEqual, try time(text)))
    }
    if let text = invocation.text(before) {
      conditions.append(.timestamp(.less, try time(text)))
    }
    if let name = invocation.text(author) { conditions.append(.text(.author, [name])) }
    if let name = invocation.text(entity) { conditions.append(.changes(entities: [name])) }
    return conditions
  }

  private static func time(_ text: String) throws -> Date {
    let whole = text.count == 10 ? text + "T00:00:00Z" : text
    if let date = try? Date(whole, strategy: .iso8601) { return date }
    throw UsageError("'\(text)' is not a time; write it as 2026-05-01 or 2026-05-01T09:30:00Z")
  }

  private static func print(
    _ transaction: StoreTransaction,
    _ isJSON: Bool,
    to console: Console
  ) throws {
    if isJSON { return console.write(try JSONText.line(ShownTransaction(transaction))) }
    let author = transaction.author.map { "\($0.visible), " } ?? ""
    let origin = transaction.origin == .program ? "" : "\(transaction.origin.rawValue.visible), "
    let who = author + origin
    console.print(
      "\(transaction.number)  \(transaction.timestamp.formatted(.iso8601))  \(who)"
        + "\(transaction.bundleIdentifier.visible) (\(transaction.processIdentifier.visible))"
    )
    for (change, last) in transaction.changes.shown {
      let sign =
        switch change.kind {
        case .insert: "+"
        case .update: "~"
        case .delete: "-"
        }
      let rows = "\(change.identifier)" + (last.map { " … \($0)" } ?? "")
      console.print("  \(sign)\((rows + change.shownDetails).visible)")
    }
  }
}

/// A named reader in the output of `--format json`, one per line.
private struct ShownReader: Encodable {
  let name: String
  let number: Int64
  let time: String
  let missesTransactions: Bool

  init(_ reader: HistoryReaderPosition, _ bounds: HistoryBounds) {
    name = reader.name
    number = reader.number
    time = reader.timestamp.formatted(.iso8601)
    missesTransactions = reader.number < bounds.cut
  }
}

/// A transaction in the output of `--format json`, one per line.
private struct ShownTransaction: Encodable {
  struct Change: Encodable {
    let change: String
    let object: String
    let lastObject: String?
    let properties: [String]
    let cause: String
    let clearedProperties: [String]
  }

  let number: Int64
  let time: String
  let save: String
  let author: String?
  let origin: String
  let program: String
  let process: String
  let changes: [Change]

  init(_ transaction: StoreTransaction) {
    number = transaction.number
    time = transaction.timestamp.formatted(.iso8601)
    save = transaction.saveIdentifier.uuidString
    author = transaction.author
    origin = transaction.origin.rawValue
    program = transaction.bundleIdentifier
    process = transaction.processIdentifier
    changes = transaction.changes.shown.map { change, last in
      Change(
        change: change.kind.rawValue,
        object: "\(change.identifier)",
        lastObject: last.map { "\($0)" },
        properties: change.properties,
        cause: change.cause.rawValue,
        clearedProperties: change.clearedProperties
      )
    }
  }
}
