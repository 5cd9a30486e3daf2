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
  static func output(of words: [String], patience: Double?) throws -> Outcome {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw CommandFailure("the program '\(words[0])' cannot be run: \(error.localizedDescription)")
    }
    var bytes = Data()
    var isEnded = false
    var lastTime = ContinuousClock.now
    while true {
      if hasInput(pipe.fileHandleForReading) {
        let part = pipe.fileHandleForReading.availableData
        if part.isEmpty { break }
        bytes += part
        lastTime = .now
      } else if !process.isRunning {
        // Another process that began at the same time may have the pipe.
        break
      } else if isEnded, .now - lastTime > .seconds(10) {
        kill(process.processIdentifier, SIGKILL)
      } else if !isEnded, let patience, .now - lastTime > .seconds(patience) {
        // The package manager passes this signal on to the tests.
        process.interrupt()
        isEnded = true
        lastTime = .now
      }
    }
    process.waitUntilExit()
    let output = String(decoding: bytes, as: UTF8.self)
    return Outcome(status: process.terminationStatus, output: output, isEnded: isEnded)
  }

  /// Waits for a tenth of a second, and returns whether a pipe has bytes or is closed.
  private static func hasInput(_ pipe: FileHandle) -> Bool {
    var event = pollfd(fd: pipe.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&event, 1, 100) > 0
  }
}
