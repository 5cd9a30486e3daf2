import OpenSwiftData
import StoreTestSupport

/// A store for one test, which the test can open repeatedly.
///
/// An in-memory store has one container, which each call of ``open()`` returns.
final class ContainerFixture {
  /// The kind of store.
  let kind: EveryStore
  /// The folder that the store has to itself.
  let folder: TemporaryFolder
  private let models: [any PersistentModel.Type]
  private var kept: ModelContainer?

  convenience init(_ kind: EveryStore, for models: any PersistentModel.Type...) throws {
    try self.init(kind, models)
  }

  init(_ kind: EveryStore, _ models: [any PersistentModel.Type]) throws {
    self.kind = kind
    self.models = models
    folder = try TemporaryFolder()
  }

  /// Opens the store; what was opened before and is no longer held is closed by then.
  func open() throws -> ModelContainer {
    if let kept { return kept }
    let container =
      if kind == .textKeys {
        try ModelContainer(for: Schema(models), configurations: TextKeyStore.Configuration())
      } else {
        try ModelContainer(for: Schema(models), store: kind.url(in: folder))
      }
    if !kind.persists { kept = container }
    return container
  }

  /// A context of a newly opened store.
  func context() throws -> ModelContext { ModelContext(try open()) }
}

extension ModelContext {
  /// All objects of a model, ordered by identity.
  func all<T: PersistentModel>(_ type: T.Type) throws -> [T] {
    try fetch(FetchDescriptor<T>())
  }
}
