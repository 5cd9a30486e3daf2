import Foundation
import OpenSwiftData

extension Talk {
  /// Does with a file of the store what programs do with files: each opens and closes descriptors
  /// of it, by which POSIX locks of the whole process are lost.
  func handleFiles(_ words: [String]) throws {
    let store = try StoreURL(url).fileURL()
    let name = store.lastPathComponent + (words.count > 1 ? words[1] : "")
    let file = store.deletingLastPathComponent().appending(path: name)
    switch words[0] {
    case "read":
      let size = try Data(contentsOf: file).count
      if size == 0, words.count == 1 { throw WorkerError.wrong("the store's file is empty") }
    case "copy":
      let copy = file.deletingLastPathComponent().appending(path: "copied")
      try FileManager.default.copyItem(at: file, to: copy)
      try FileManager.default.removeItem(at: copy)
    default:
      let mistaken = "\(words.last ?? ""):\(store.path)"
      _ = try ModelContainer(for: Narrow.Item.self, Narrow.Box.self, store: mistaken)
    }
  }
}
