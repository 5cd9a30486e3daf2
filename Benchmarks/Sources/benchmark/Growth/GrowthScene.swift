import Foundation
import OpenSwiftData

/// The stores of all sizes, each filled once and kept open for all tasks.
final class GrowthScene {
  /// How many objects are made at a time, so that filling takes no more memory than a part.
  private static let part = 50_000

  let scene: Scene
  private var containers: [String: ModelContainer] = [:]
  private var databases: [Int: RawDatabase] = [:]

  init(_ scene: Scene) {
    self.scene = scene
  }

  /// An open store of some size.
  func container(_ scheme: String, _ rows: Int) throws -> ModelContainer {
    let name = "\(scheme).\(rows)"
    if let known = containers[name] { return known }
    let path = try path(scheme, rows)
    // A copy, so that the file that others open is nowhere open.
    let container = try open(scheme, try scene.copy(path))
    containers[name] = container
    return container
  }

  /// The path of a closed store of some size, which nobody changes.
  func path(_ scheme: String, _ rows: Int) throws -> String {
    try scene.making("readings.\(rows).\(scheme)") { path in
      let container = try open(scheme, path)
      for start in stride(from: 0, to: rows, by: Self.part) {
        let context = ModelContext(container)
        context.autosaveEnabled = false
        for index in start..<min(start + Self.part, rows) { context.insert(Reading(index)) }
        try context.save()
      }
    }
  }

  /// Opens a store.
  func open(_ scheme: String, _ path: String) throws -> ModelContainer {
    try ModelContainer(for: Reading.self, store: "\(scheme):\(path)")
  }

  /// An open database of some size that was filled by hand.
  func database(_ rows: Int) throws -> RawDatabase {
    if let known = databases[rows] { return known }
    let path = try scene.making("readings.\(rows).db") { path in
      try RawDatabase(path).createReadings(rows)
    }
    let database = try RawDatabase(path)
    databases[rows] = database
    return database
  }
}
