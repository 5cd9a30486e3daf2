import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Model
class Land {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Borough.land) var towns: [Borough] = []
  var friends: [Land] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Republic: Land {
  var president: String = ""

  init(_ name: String, president: String) {
    self.president = president
    super.init(name)
  }
}

@Model
final class Borough {
  var name: String
  var land: Land?
  @Relationship(inverse: \Dweller.home) var dwellers: [Dweller]?
  @Relationship(inverse: \Landmark.towns) var landmarks: [Landmark] = []

  init(_ name: String, in land: Land? = nil) {
    self.name = name
    self.land = land
  }
}

@Model
final class Dweller {
  var name: String
  var home: Borough?

  init(_ name: String, home: Borough? = nil) {
    self.name = name
    self.home = home
  }
}

@Model
final class Landmark {
  var name: String
  var towns: [Borough] = []

  init(_ name: String) {
    self.name = name
  }
}

enum CanvasMood: String, Codable { case calm, wild }

struct CanvasSize: Codable, Equatable {
  var width: Int
  var height: Int
}

/// A model whose attributes are of every kind, to be loaded in part.
@Model
class Canvas {
  var title: String
  var views: Int = 7
  var rating: Double?
  var mood: CanvasMood
  var size: CanvasSize
  var words: [String] = []
  @Attribute(.externalStorage) var pixels: Data?
  var gallery: Gallery?

  init(
    _ title: String,
    mood: CanvasMood = .wild,
    size: CanvasSize = CanvasSize(width: 1, height: 2)
  ) {
    self.title = title
    self.mood = mood
    self.size = size
  }
}

@Model
final class Fresco: Canvas {
  var painter: String = "nobody"

  init(_ title: String, by painter: String) {
    self.painter = painter
    super.init(title)
  }
}

@Model
final class Gallery {
  var name: String
  @Relationship(inverse: \Canvas.gallery) var canvases: [Canvas] = []

  init(_ name: String) {
    self.name = name
  }
}

/// A store of some kind whose calls are recorded.
final class WatchedFixture {
  let container: ModelContainer
  let log: StoreLog
  private let folder: TemporaryFolder

  init(_ kind: EveryStore, leavesOut: Bool = false, for models: any PersistentModel.Type...) throws
  {
    let folder = try TemporaryFolder()
    let log = StoreLog()
    let schema = Schema(models)
    func watched<Base: DataStoreConfiguration>(
      _ base: Base
    ) throws -> ModelContainer where Base.Store: RecordStore {
      let configuration = WatchedStoreConfiguration(base: base, log: log, leavesOut: leavesOut)
      return try ModelContainer(for: schema, configurations: configuration)
    }
    self.folder = folder
    self.log = log
    container =
      switch kind {
      case .memory: try watched(MemoryStoreConfiguration())
      case .sqliteInMemory: try watched(SQLiteStoreConfiguration.inMemory())
      case .sqlite: try watched(SQLiteStoreConfiguration(url: folder.file("store.db")))
      case .json: try watched(JSONFileStoreConfiguration(url: folder.file("store.json")))
      case .textKeys: try watched(TextKeyStore.Configuration())
      case .postgreSQL: try watched(PostgreSQLStoreConfiguration(url: kind.url(in: folder)))
      }
  }

  /// A context of its own.
  func context() -> ModelContext { ModelContext(container) }

  /// The calls of the store that a closure leads to, in their order.
  func calls(_ body: () throws -> Void) rethrows -> [String] {
    log.clear()
    try body()
    return log.calls
  }

  /// Expects a closure to lead to these calls.
  func expect(
    _ expected: [String],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) rethrows {
    let calls = try calls(body)
    #expect(calls == expected, sourceLocation: sourceLocation)
  }

  /// Expects a closure to lead to so many calls.
  func expect(
    count: Int,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) rethrows {
    let calls = try calls(body)
    #expect(calls.count == count, sourceLocation: sourceLocation)
  }

  /// Expects a closure to lead to so many calls at the most.
  func expect(
    most count: Int,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) rethrows {
    let calls = try calls(body)
    #expect(calls.count <= count, sourceLocation: sourceLocation)
  }
}
