import Foundation

/// A folder of a test's own, removed with the value that names it.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    url = base.appending(path: "SQLiteStoreTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func path(_ name: String) -> String {
    url.appending(path: name).path
  }

  /// An empty file, as the store makes before it opens a connection.
  func emptyFile(_ name: String) throws -> String {
    try Data().write(to: url.appending(path: name))
    return path(name)
  }
}
