import Foundation
import OpenSwiftData

/// The store that is damaged repeatedly.
struct DamagedStore {
  let url: String
  let kind: String
  private let folder: URL
  private let name: String

  init(_ url: String) throws {
    let parsed = try StoreURL(url)
    self.url = url
    kind = parsed.scheme
    let file = try parsed.fileURL()
    folder = file.deletingLastPathComponent()
    name = file.lastPathComponent
    guard ["json", "sqlite"].contains(kind) else {
      throw WorkerError.usage("no store of \(kind): can be damaged")
    }
  }

  /// The path of one of the store's files.
  func path(_ suffix: String) -> String { folder.path + "/" + name + suffix }

  func open() throws -> ModelContainer {
    try ModelContainer(for: Damage.Specimen.self, Damage.Shelf.self, store: url)
  }

  /// All rows, as the store has them.
  func state(of container: ModelContainer) throws -> Exhibit.State {
    guard let store = container.stores.first as? any RecordStore else { return [] }
    return try store.schema.storeSchema.entities.map {
      try store.fetch(StoreQuery(entity: $0.name))
    }
  }

  /// The store's files with their bytes, without those that hold nothing.
  func files() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let manager = FileManager.default
    for entry in try manager.contentsOfDirectory(atPath: folder.path) where entry.hasPrefix(name) {
      let suffix = String(entry.dropFirst(name.count))
      guard ![".lock", "-shm"].contains(suffix) else { continue }
      guard suffix == ".files" else {
        files[suffix] = bytes(suffix)
        continue
      }
      for value in try manager.contentsOfDirectory(atPath: path(suffix)) {
        files[".files/\(value)"] = bytes(".files/\(value)")
      }
    }
    return files
  }

  /// The bytes of a file, nil where there is none.
  func bytes(_ suffix: String) -> [UInt8]? {
    (try? Data(contentsOf: URL(filePath: path(suffix)))).map(Array.init)
  }

  /// Replaces the store's files.
  func put(_ files: [String: [UInt8]]) throws {
    try clear()
    for (suffix, bytes) in files {
      let url = URL(filePath: path(suffix))
      if suffix.hasPrefix(".files/") {
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(),
          withIntermediateDirectories: true
        )
      }
      try Data(bytes).write(to: url)
    }
  }

  func clear() throws {
    let manager = FileManager.default
    for entry in try manager.contentsOfDirectory(atPath: folder.path) where entry.hasPrefix(name) {
      try manager.removeItem(atPath: folder.path + "/" + entry)
    }
  }
}
