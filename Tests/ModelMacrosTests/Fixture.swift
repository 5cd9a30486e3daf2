import Foundation
import Testing

/// A file of the folder `Fixtures`.
struct Fixture: CustomTestStringConvertible, Sendable {
  let name: String
  let url: URL

  var testDescription: String { name }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  static let declarations = files(in: folder, withExtension: "swift")
  static let messages = files(in: folder.appending(path: "messages"), withExtension: "json")

  func text() throws -> String { try String(contentsOf: url, encoding: .utf8) }

  /// What the fixture expands to; with `UPDATE_FIXTURES` set, the current response is written.
  func expected(or actual: String) throws -> String {
    let url = url.deletingPathExtension().appendingPathExtension("expected")
    if ProcessInfo.processInfo.environment["UPDATE_FIXTURES"] != nil {
      try Data(actual.utf8).write(to: url)
    }
    return try String(contentsOf: url, encoding: .utf8)
  }

  private static func files(in folder: URL, withExtension suffix: String) -> [Fixture] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".\(suffix)") }.sorted().map {
      Fixture(name: String($0.dropLast(suffix.count + 1)), url: folder.appending(path: $0))
    }
  }
}
