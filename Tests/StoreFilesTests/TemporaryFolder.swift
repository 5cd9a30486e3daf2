import Foundation

@testable import StoreFiles

/// A folder that a test has for itself and that goes with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "StoreFilesTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func folder(access: any FileAccess = SystemFileAccess()) throws -> Folder {
    try Folder(path: path, access: access)
  }

  func text(of name: String) -> String? {
    FileManager.default.contents(atPath: "\(path)/\(name)").map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

extension Folder {
  func replace(_ name: String, with text: String, policy: SyncPolicy = .disk) throws {
    _ = try replace(name, policy: policy) { (file) throws(FileError) in
      try file.write(Array(text.utf8), at: 0)
    }
  }
}
