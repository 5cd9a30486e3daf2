import Foundation
import OpenSwiftData

/// Where the workloads work: a folder of their own, a size, and stores that several of them read.
final class Scene {
  /// The folder, removed at the end.
  let folder: URL
  private let divisor: Int
  private var made: [String: String] = [:]
  private var count = 0
  private var servers: [PostgreSQLScene.Place: PostgreSQLScene] = [:]

  init(folder: URL, divisor: Int) {
    self.folder = folder
    self.divisor = max(1, divisor)
  }

  /// A number of rows in the size of this run.
  func rows(_ full: Int) -> Int { max(10, full / divisor) }

  /// Returns the stores on the PostgreSQL server, which can be slower to commit and to reach.
  func postgreSQL(_ place: PostgreSQLScene.Place = .local) throws -> PostgreSQLScene {
    if let server = servers[place] { return server }
    let new = try place == .local ? PostgreSQLScene() : .init(from: postgreSQL(), as: place)
    servers[place] = new
    return new
  }

  /// A path that nothing lies at.
  func freshPath(_ suffix: String) -> String {
    count += 1
    return folder.appending(path: "\(count)-\(suffix)").path
  }

  /// Removes a store with the files beside it.
  func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", ".journal", ".lock"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  /// A copy of a closed store.
  func copy(_ path: String) throws -> String {
    let copy = freshPath(URL(filePath: path).lastPathComponent)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    return copy
  }

  /// A container for the store at a path.
  func container(_ scheme: String, _ path: String) throws -> ModelContainer {
    try ModelContainer(for: Item.self, store: "\(scheme):\(path)")
  }

  /// The path of a store that the engine filled, made once.
  func store(_ scheme: String, rows: Int) throws -> String {
    try making("engine.\(rows).\(scheme)") { path in
      let context = ModelContext(try container(scheme, path))
      for record in Record.first(rows) { context.insert(Item(record)) }
      try context.save()
    }
  }

  /// The path of a database that was filled by hand, made once.
  func database(rows: Int) throws -> String {
    try making("hand.\(rows).db") { path in
      let database = try RawDatabase(path)
      try database.createTable()
      try database.insert(Record.first(rows).map { PlainItem($0) })
    }
  }

  /// The path of something with a name, made once.
  func making(_ name: String, _ make: (String) throws -> Void) throws -> String {
    if let path = made[name] { return path }
    let path = freshPath(name)
    try make(path)
    made[name] = path
    return path
  }
}
