import Foundation

/// A folder that is there for one test.
struct TemporaryFolder: ~Copyable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "examples-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// The URL of a store of a kind in the folder.
  func store(_ scheme: String, _ name: String = "flights") -> String {
    "\(scheme):\(url.appending(path: name).path).\(scheme)"
  }
}
