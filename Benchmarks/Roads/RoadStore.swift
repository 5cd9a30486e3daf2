import Foundation
import OpenSwiftData

/// A kind of store.
enum RoadStore: String, CaseIterable {
  case sqlite, configuration, json, memory, postgres

  /// The stores of this machine: PostgreSQL only with a server.
  static let available = allCases.filter { $0 != .postgres || server != nil }
  private static let server = ProcessInfo.processInfo.environment["POSTGRES_URL"].flatMap {
    $0.isEmpty ? nil : $0
  }

  /// Opens a new store in a folder.
  func open(
    _ types: [any PersistentModel.Type],
    in folder: URL,
    keepsValues: Bool
  ) throws
    -> ModelContainer
  {
    let schema = Schema(types)
    let file = folder.appending(path: "store").path
    let options = keepsValues ? "history=values" : ""
    if self == .configuration {
      var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
      if keepsValues { configuration.history = HistoryOptions(.values) }
      return try ModelContainer(for: schema, configurations: configuration)
    }
    let url =
      switch self {
      case .sqlite, .configuration: "sqlite:\(file)?\(options)"
      case .json: "json:\(file)?\(options)"
      case .memory: "memory:?\(options)"
      case .postgres: "\(Self.server ?? "")&schema=\(folder.lastPathComponent)&\(options)"
      }
    return try ModelContainer(for: schema, store: url.trimmingCharacters(in: ["?", "&"]))
  }
}

/// A new store in a folder of its own, removed with it.
final class RoadPlace {
  private let folder: URL
  private let types: [any PersistentModel.Type]
  let store: RoadStore
  let container: ModelContainer

  init(_ store: RoadStore, _ types: [any PersistentModel.Type], keepsValues: Bool) throws {
    self.store = store
    self.types = types
    folder = try Self.newFolder()
    container = try store.open(types, in: folder, keepsValues: keepsValues)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  // Syncs cost no time in the system's memory.
  private static func newFolder() throws -> URL {
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory)
      ? URL(filePath: memory) : FileManager.default.temporaryDirectory
    let name = UUID().uuidString.replacing("-", with: "").lowercased()
    let folder = parent.appending(path: "road\(name)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder
  }

  func context() -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  /// Saves the objects of some numbers.
  func fill<M: RoadModel>(_ type: M.Type, _ count: Int) throws {
    let context = context()
    for object in M.maker()(0..<count) { context.insert(object) }
    try context.save()
  }

  /// Returns a function that opens the files of the open store as a kill of the process leaves them.
  func killed() throws -> () throws -> ModelContainer {
    let copy = try Self.newFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let target = copy.appending(path: name)
      try FileManager.default.copyItem(at: folder.appending(path: name), to: target)
    }
    return { [store, types] in
      defer { try? FileManager.default.removeItem(at: copy) }
      return try store.open(types, in: copy, keepsValues: false)
    }
  }
}
