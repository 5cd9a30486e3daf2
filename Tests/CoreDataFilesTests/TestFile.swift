import Foundation

/// The files beside the tests.
enum TestFile {
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: folder.appending(path: "Files/\(name)")))
  }
}
