import Foundation

/// A file of comma-separated values that is there for one test.
struct TemporaryTable: ~Copyable {
  let path: String

  init(_ text: String) throws {
    try self.init(bytes: Array(text.utf8))
  }

  init(bytes: [UInt8]) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).csv").path
    try Data(bytes).write(to: URL(filePath: path))
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
