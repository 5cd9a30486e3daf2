import Foundation

/// A built example program, run as a person runs it.
struct ExampleProcess {
  /// What a run left behind.
  struct Result {
    let code: Int32
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  let name: String

  static let flights = ExampleProcess(name: "flights")
  static let trips = ExampleProcess(name: "trips")
  static let storectl = ExampleProcess(name: "storectl")

  /// Runs the program to its end.
  func run(_ words: [String]) throws -> Result {
    let process = try started(words)
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // Errors are short; a pipe holds them until the output is read to its end.
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    let complaints = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(
      code: process.terminationStatus,
      output: String(decoding: answer, as: UTF8.self),
      errors: String(decoding: complaints, as: UTF8.self)
    )
  }

  /// Runs the program and kills it as soon as it has written a number of lines to its errors.
  ///
  /// - Returns: Whether it was killed, and had not come to its end by itself.
  func kill(_ words: [String], after lineCount: Int) throws -> Bool {
    let process = try started(words)
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    var lines = 0
    while lines < lineCount {
      let data = errors.fileHandleForReading.availableData
      if data.isEmpty { break }
      lines += data.count { $0 == UInt8(ascii: "\n") }
    }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
  }

  private func started(_ words: [String]) throws -> Process {
    let process = Process()
    process.executableURL = Self.folder.appending(path: name)
    process.arguments = words
    var environment = ProcessInfo.processInfo.environment
    environment["DATASTORE_URL"] = nil
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// The folder of the build, in which the test bundle lies beside the programs.
  private static var folder: URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
  }
}
