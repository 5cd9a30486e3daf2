import Foundation
import OpenSwiftData

/// Performs requests line by line, so that the harness can interleave several processes.
///
/// A request is answered by one line, `ACK` with what was asked for or `NAK code`:
///
///     open [wide]      opens the store
///     close            closes it
///     do N STEP        performs a step, as in a script, whose number is N
///     change N STEP    makes the changes of a step, without saving them
///     again STEP       saves the changes of the step that failed once more
///     drop             drops unsaved changes
///     checkpoint             checkpoints the journal or log
///     items            how many items there are, and the sum of their counts
///     find ITEM        the count of an item and the size of its value; nothing for no such item
///     read [SUFFIX]    reads a file of the store, `-wal` for example, as any other file
///     copy [SUFFIX]    copies it to `copied` beside it, and removes the copy
///     mistake SCHEME   opens the store under another scheme
///     fork N STEP      performs a step in a child of this process; its response begins with CHILD
///     branch IN OUT    goes on in a child as well, with other files for requests and responses; the
///                      child's number
///     brancher IN      has another thread fork for each line in a file; the child ends at once
///                      (`leave`) or becomes a program that opens the store (`become`)
///     become           becomes a new program that talks about the same store
///     leave            ends at once, without closing anything
struct Talk {
  let url: String
  var session: (any Session)?
  /// The number of the last step, if it failed before it had changed anything.
  private var unchanged: Int?

  init(_ url: String) {
    self.url = url
  }

  /// Responds to requests until there are no more.
  mutating func callAsFunction() {
    while let line = readLine() {
      do {
        let response = try respond(to: line.split(separator: " ").map(String.init))
        Output.line(response.isEmpty ? "ACK" : "ACK \(response)")
      } catch {
        Output.line("NAK \(error.word)")
        Output.complain(error)
      }
    }
  }

  private mutating func respond(to words: [String]) throws -> String {
    let rest = words.dropFirst()
    switch words.first {
    case "open": session = try openSession(url, isWide: rest.first == "wide")
    case "close": session = nil
    case "do": try perform(rest)
    case "change": try change(rest)
    case "again": try performAgain(rest)
    case "drop": try opened().rollBack()
    case "checkpoint": try opened().checkpoint()
    case "items":
      let items = try opened().contents().items.values
      return "\(items.count) \(items.reduce(0) { $0 + $1.count })"
    case "find": return try find(rest)
    case "read", "copy", "mistake": try handleFiles(words)
    case "fork": return "\(try performInChild(rest))"
    case "branch", "brancher", "become", "leave": return try fork(words)
    default: throw WorkerError.usage("'\(words)' is not understood")
    }
    return ""
  }

  private func find(_ words: ArraySlice<String>) throws -> String {
    guard let number = words.first.flatMap({ Int($0) }) else {
      throw WorkerError.usage("an item has a number")
    }
    guard let item = try opened().contents().items[number] else { return "" }
    return "\(item.count) \(item.blob?.size ?? 0)"
  }

  private func opened() throws -> any Session {
    guard let session else { throw WorkerError.usage("no store is open") }
    return session
  }

  private func step(_ words: ArraySlice<String>) throws -> Step {
    guard let step = Step(words.joined(separator: " ")) else {
      throw WorkerError.usage("'\(words)' is no step")
    }
    return step
  }

  mutating func perform(_ words: ArraySlice<String>) throws {
    try opened().finish(change(words))
  }

  private mutating func performAgain(_ words: ArraySlice<String>) throws {
    let step = try step(words)
    if let number = unchanged { try change(step, number) }
    try opened().finish(step)
  }

  @discardableResult
  private mutating func change(_ words: ArraySlice<String>) throws -> Step {
    guard let number = words.first.flatMap({ Int($0) }) else {
      throw WorkerError.usage("a step needs a number")
    }
    let step = try step(words.dropFirst())
    try change(step, number)
    return step
  }

  private mutating func change(_ step: Step, _ number: Int) throws {
    unchanged = number
    try opened().change(step, number)
    unchanged = nil
  }
}
