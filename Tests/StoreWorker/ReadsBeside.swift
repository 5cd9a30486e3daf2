import Foundation
import OpenSwiftData

/// Opens, reads and closes the store's files again and again on a thread of its own, while others
/// save: each closed descriptor takes all POSIX locks of the process along.
enum ReadsBeside {
  /// Begins, without an end.
  static func begin(_ url: String) throws {
    let file = try StoreURL(url).fileURL()
    let folder = file.deletingLastPathComponent()
    Thread.detachNewThread {
      while true {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
          _ = try? Data(contentsOf: folder.appending(path: name))
        }
      }
    }
  }
}
