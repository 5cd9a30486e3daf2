import ComposableStores
import Foundation
import OpenSwiftData
import PostgreSQLTestSupport
import StoreTestSupport

/// The stores of tests with the models of the harbor.
enum HarborStore: String, CaseIterable, Sendable {
  case memory, json, sqlite, postgresql
  /// A store that wraps another.
  case logged

  /// The stores, without those that this machine lacks.
  static var available: [HarborStore] {
    let hasServer = PrivateCluster.isAvailable || PrivateCluster.isRequired
    return allCases.filter { hasServer || $0 != .postgresql }
  }

  /// Whether containers that a program opens one after the other have the same store.
  var isShared: Bool { self == .sqlite || self == .postgresql }

  /// Opens the store of a folder.
  func open(in folder: TemporaryFolder) throws -> ModelContainer {
    let schema = HarborKind.schema
    switch self {
    case .memory: return try ModelContainer(for: schema, store: EveryStore.memory.url(in: folder))
    case .json: return try ModelContainer(for: schema, store: EveryStore.json.url(in: folder))
    case .sqlite: return try ModelContainer(for: schema, store: EveryStore.sqlite.url(in: folder))
    case .postgresql:
      return try ModelContainer(for: schema, store: EveryStore.postgreSQL.url(in: folder))
    case .logged:
      let base = MemoryStoreConfiguration(schema: schema)
      return try ModelContainer(for: schema, configurations: base.logged { _ in })
    }
  }
}

/// A store of the harbor, and two contexts of it.
final class HarborFixture {
  let container: ModelContainer
  /// The context that makes the changes of a test.
  let here: ModelContext
  /// The context that saves in between.
  let there: ModelContext
  /// The objects that a context keeps in memory.
  private var kept: [any PersistentModel] = []
  private let folder: TemporaryFolder

  init(_ store: HarborStore) throws {
    folder = try TemporaryFolder()
    container = try store.open(in: folder)
    (here, there) = (ModelContext(container), ModelContext(container))
  }

  /// Saves objects of the program.
  func save(_ objects: any PersistentModel...) throws {
    let context = ModelContext(container)
    func insert<T: PersistentModel>(_ object: T) { context.insert(object) }
    for object in objects { insert(object) }
    try context.save()
  }

  /// Keeps all objects of a model in memory.
  func register<T: HarborItem>(_ type: T.Type) throws {
    kept += try here.fetch(FetchDescriptor<T>())
  }

  /// The numbers and weights of all stored objects of a model.
  func stored<T: HarborItem>(_ type: T.Type) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<T>())
      .map { "\($0.number) weighs \($0.weight)" }.sorted()
  }

  /// The object with a number, in a context.
  func find<T: HarborItem>(_ type: T.Type, _ number: Int, in context: ModelContext) throws -> T? {
    try context.fetch(FetchDescriptor(predicate: T.predicate(.numbered(number)))).first
  }
}
