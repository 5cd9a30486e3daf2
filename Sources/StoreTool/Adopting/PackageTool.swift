import CommandLineSupport
import Foundation

/// The program `swift`, which builds and tests packages.
struct PackageTool: Sendable {
  /// The result of a run.
  struct Outcome {
    let status: Int32
    /// Standard output and standard error in one.
    let output: String
    /// Whether the program was ended because it printed nothing for too long.
    var isEnded = false
  }

  /// Runs the program with its arguments.
  let run: @Sendable (_ arguments: [String]) throws -> Outcome

  /// The toolchain of the user's path.
  ///
  /// A build ends by itself, however long it prints nothing. A test may wait forever, for example for
  /// a main loop that it does not have here.
  static let swift = PackageTool { arguments in
    try output(of: ["swift"] + arguments, patience: arguments.first == "test" ? 300 : nil)
  }

  /// Runs a program, and ends it if it prints nothing for too long.
  ///
  /// - Parameters:
  ///   - words: The program, which is found on the user's path, and its arguments.
  ///   - patience: The time in seconds for which it may print nothing, or `nil` for any time.
  /// - Returns: The outcome.
  /// - Throws: `CommandFailure` if the program cannot be run.
  static func output(of words: [String], patience: Int32?) throws -> Outcome {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    var bytes = Data()
    var isEnded = false
    do {
      try process.run()
      reading: while true {
        switch wait(for: pipe.fileHandleForReading, seconds: isEnded ? 10 : patience) {
        case false where isEnded:
          kill(process.processIdentifier, SIGKILL)
          break reading
        case false:
          // The package manager passes this signal on to the tests.
          process.interrupt()
          isEnded = true
        case true:
          let part = pipe.fileHandleForReading.availableData
          if part.isEmpty { break reading }
          bytes += part
        }
      }
      process.waitUntilExit()
    } catch {
      throw CommandFailure("the program '\(words[0])' cannot be run: \(error.localizedDescription)")
    }
    let output = String(decoding: bytes, as: UTF8.self)
    return Outcome(status: process.terminationStatus, output: output, isEnded: isEnded)
  }

  /// Waits until a pipe has bytes or is closed, and returns whether that came in time.
  private static func wait(for pipe: FileHandle, seconds: Int32?) -> Bool {
    var event = pollfd(fd: pipe.fileDescriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&event, 1, seconds.map { $0 * 1_000 } ?? -1)
      if count >= 0 || errno != EINTR { return count != 0 }
    }
  }
}
