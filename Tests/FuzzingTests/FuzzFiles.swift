import Foundation
import StoreProtocol

@testable import JSONFileStore

/// The files of fuzz inputs, in one folder of this process.
enum FuzzFiles {
  private static let folder: URL = {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "osd-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }()

  static let document = folder.appending(path: "a.json")
  static let journal = folder.appending(path: "a.json.journal")
  static let database = folder.appending(path: "a.sqlite")
  static let table = folder.appending(path: "a.csv")

  /// Writes the files, and removes the files of the previous input.
  static func put(_ bytes: [UInt8], journal journalBytes: [UInt8]? = nil) throws {
    try Data(bytes).write(to: document)
    if let journalBytes {
      try Data(journalBytes).write(to: journal)
    } else {
      try? FileManager.default.removeItem(at: journal)
    }
  }

  static func open(_ schema: Schema?, allowsSave: Bool = true) throws -> JSONFileStore {
    var configuration = JSONFileStoreConfiguration(
      schema: schema,
      url: document,
      allowsSave: allowsSave,
      durability: .none
    )
    configuration.busyTimeout = 0
    return try JSONFileStore(configuration, migrationPlan: nil)
  }

  static func bytes(_ url: URL) -> [UInt8]? {
    (try? Data(contentsOf: url)).map(Array.init)
  }
}
