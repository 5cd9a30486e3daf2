import Foundation
import OpenSwiftData

/// The files of a store with their sizes.
struct StoreFilesOnDisk: Encodable {
  /// One file, or a folder with its contents.
  struct File: Encodable {
    let name: String
    let bytes: Int
    /// The number of files in a folder, or `nil` for a file.
    var files: Int?
  }

  let files: [File]

  var total: Int { files.reduce(0) { $0 + $1.bytes } }

  /// The endings of a store's files beside its main file.
  private static let endings = ["", "-wal", "-shm", ".journal", ".lock", ".files"]

  /// Finds the files of the store that a URL names; a store in memory has none.
  init(url: String) {
    guard let path = try? StoreURL(url).path, !path.isEmpty, path != ":memory:" else {
      files = []
      return
    }
    files = Self.endings.compactMap { Self.file(at: path + $0) }
  }

  private static func file(at path: String) -> File? {
    let manager = FileManager.default
    let name = URL(filePath: path).lastPathComponent
    guard let attributes = try? manager.attributesOfItem(atPath: path) else { return nil }
    guard attributes[.type] as? FileAttributeType == .typeDirectory else {
      return File(name: name, bytes: size(attributes))
    }
    let inside = (try? manager.contentsOfDirectory(atPath: path)) ?? []
    let bytes = inside.reduce(0) { sum, file in
      sum + ((try? manager.attributesOfItem(atPath: "\(path)/\(file)")).map(size) ?? 0)
    }
    return File(name: name, bytes: bytes, files: inside.count)
  }

  private static func size(_ attributes: [FileAttributeKey: Any]) -> Int {
    (attributes[.size] as? NSNumber)?.intValue ?? 0
  }
}
