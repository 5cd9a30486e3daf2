import CommandLineSupport
import Foundation

/// The program `swift`, which builds and tests packages.
struct PackageTool: Sendable {
  /// The result of a run.
  struct Outcome {
    let status: Int32
    /// Standard output and standard error in one.
    let output: String
  }

  /// Runs the program with its arguments.
  let run: @Sendable (_ arguments: [String]) throws -> Outcome

  /// The toolchain of the user's path.
  static let swift = PackageTool { arguments in
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swift"] + arguments
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    do {
      try process.run()
      let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      let output = String(decoding: bytes, as: UTF8.self)
      return Outcome(status: process.terminationStatus, output: output)
    } catch {
      throw CommandFailure("the program 'swift' cannot be run: \(error.localizedDescription)")
    }
  }
}
