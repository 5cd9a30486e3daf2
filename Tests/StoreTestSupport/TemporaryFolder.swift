import Foundation

/// A folder of one test's own, removed with all that is in it when the test lets go of it.
///
/// Only the user who runs the tests can look inside (mode 0700).
public final class TemporaryFolder: Sendable {
  /// Where the folder is.
  public let url: URL

  /// Creates an empty folder.
  ///
  /// - Parameter isInMemory: Whether to create it in the system's memory, if it has a file system for
  ///   that. Syncs are made as on a disk and cost nothing, so that a test which saves thousands of
  ///   times does not wait for the disk.
  /// - Throws: What Foundation throws when the system refuses.
  public init(inMemory isInMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let isPossible = isInMemory && FileManager.default.isWritableFile(atPath: memory)
    url = (isPossible ? URL(filePath: memory) : FileManager.default.temporaryDirectory)
      .appending(path: "openswiftdata-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: url,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700]
    )
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// The location of a file or folder with this name in the folder.
  public func file(_ name: String) -> URL { url.appending(path: name) }

  /// The names of what is in the folder, sorted.
  public func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }
}
