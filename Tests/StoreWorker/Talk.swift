import Foundation
import OpenSwiftData

/// Does what it is told line by line, so that the harness can interleave several processes.
///
/// A request is answered by one line, `ACK` with what was asked for or `NAK code`:
///
///     open [wide]     opens the store
///     close           closes it
///     do N STEP       performs a step, as in a script, whose number is N
///     again STEP      saves the changes of the step that failed once more
///     drop            drops unsaved changes
///     items           how many items there are, and the sum of their counts
///     fork N STEP     performs a step in a child of this process; its answer begins with CHILD
struct Talk {
  private let url: String
  private var session: (any Session)?

  init(_ url: String) {
    self.url = url
  }

  /// Answers until nothing more is asked.
  mutating func callAsFunction() {
    while let line = readLine() {
      do {
        let answer = try answer(line.split(separator: " ").map(String.init))
        Output.line(answer.isEmpty ? "ACK" : "ACK \(answer)")
      } catch {
        Output.line("NAK \(error.word)")
        Output.complain(error)
      }
    }
  }

  private mutating func answer(_ words: [String]) throws -> String {
    let rest = words.dropFirst()
    switch words.first {
    case "open": session = try openSession(url, isWide: rest.first == "wide")
    case "close": session = nil
    case "do": try perform(rest)
    case "again": try opened().finish(step(rest))
    case "drop": try opened().rollBack()
    case "items":
      let items = try opened().contents().items.values
      return "\(items.count) \(items.reduce(0) { $0 + $1.count })"
    case "fork": return "\(try performInChild(rest))"
    default: throw WorkerError.usage("'\(words)' is not understood")
    }
    return ""
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

  private func perform(_ words: ArraySlice<String>) throws {
    guard let number = words.first.flatMap({ Int($0) }) else {
      throw WorkerError.usage("a step needs a number")
    }
    let step = try step(words.dropFirst())
    try opened().change(step, number)
    try opened().finish(step)
  }

  /// What a child that inherits the open store meets.
  ///
  /// - Returns: How the child ended: zero, or the signal that ended it.
  private mutating func performInChild(_ words: ArraySlice<String>) throws -> Int32 {
    // The C library's header says that Swift must not call it: other threads are not there in the
    // child. It is what a program gets that does so all the same.
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else {
      throw WorkerError.usage("there is no fork here")
    }
    let child = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
    guard child == 0 else {
      var status: Int32 = 0
      waitpid(child, &status, 0)
      return status & 0x7f
    }
    let answer: String
    do {
      try perform(words)
      answer = "CHILD ACK"
    } catch {
      answer = "CHILD NAK \(error.word)"
    }
    // A child that ends in order lets go of the store, which must not harm the parent's.
    session = nil
    Output.line(answer)
    _exit(0)
  }
}
