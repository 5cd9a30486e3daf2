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
    let process = try ChildProcess(path, words)
    // Errors are short; a pipe holds them until the output is read to its end.
    let output = process.output.readDataToEndOfFile()
    let complaints = process.errors.readDataToEndOfFile()
    let end = process.wait()
    guard case .exited(let code) = end else { throw ChildProcess.Failure("\(name): \(end)") }
    return Result(
      code: code,
      output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: complaints, as: UTF8.self)
    )
  }

  /// Runs the program and kills it as soon as it has written a number of lines to its errors.
  ///
  /// - Returns: Whether it was killed, and had not come to its end by itself.
  func kill(
    _ words: [String],
    after lineCount: Int,
    by signal: Int32 = SIGKILL
  ) throws -> Bool {
    let process = try ChildProcess(path, words)
    var lines = 0
    while lines < lineCount {
      let data = process.errors.availableData
      if data.isEmpty { break }
      lines += data.count { $0 == UInt8(ascii: "\n") }
    }
    process.kill(by: signal)
    return process.wait() == .killed(signal: signal)
  }

  /// The program lies beside the test bundle in the folder of the build.
  var path: String {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let folder = bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    return folder.appending(path: name).path
  }
}
