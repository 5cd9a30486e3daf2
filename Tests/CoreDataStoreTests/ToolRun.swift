import Foundation
import OpenSwiftData

@testable import CommandLineSupport
@testable import StoreTool

/// The result of a run of `storectl` in the process of the tests.
struct ToolRun {
  let code: Int32
  let output: String
  let errors: String

  /// Runs the program.
  static func storectl(_ words: String...) async -> ToolRun {
    let console = Console.recording()
    let code = await Storectl.command.run(words, environment: [:], console: console)
    return ToolRun(
      code: code.rawValue,
      output: console.output.pendingText,
      errors: console.errors.pendingText
    )
  }

  /// Opens the store at a URL as the program does.
  static func store(at url: String) throws -> any RecordStore {
    try OpenedStore(url).store
  }
}
