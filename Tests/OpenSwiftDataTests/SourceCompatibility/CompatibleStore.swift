import OpenSwiftData
import StoreTestSupport
import Testing

/// A kind of store, by URL or by SwiftData's configuration.
enum CompatibleKind: CustomTestStringConvertible, CaseIterable, Sendable {
  case url(EveryStore)
  case configuration

  static let allCases = EveryStore.allCases.map(CompatibleKind.url) + [.configuration]

  var testDescription: String {
    switch self {
    case .url(let kind): kind.testDescription
    case .configuration: "ModelConfiguration"
    }
  }
}

/// A store that one test opens as often as it likes.
final class CompatibleStore {
  private let kind: CompatibleKind
  private let schema: Schema
  private let folder: TemporaryFolder
  private var kept: ModelContainer?

  init(_ kind: CompatibleKind, for models: any PersistentModel.Type...) throws {
    self.kind = kind
    schema = Schema(models)
    folder = try TemporaryFolder()
  }

  /// The opened store.
  func open() throws -> ModelContainer {
    if let kept { return kept }
    let container =
      switch kind {
      case .url(let store): try ModelContainer(for: schema, store: store.url(in: folder))
      case .configuration:
        try ModelContainer(
          for: schema,
          configurations: ModelConfiguration(schema: schema, url: folder.file("default.store"))
        )
      }
    kept = container
    return container
  }

  /// Closes the store where its data is there when it is opened again.
  private func close() {
    if case .url(let store) = kind, !store.persists { return }
    kept = nil
  }

  /// Inserts objects in a context of their own, saves it, and closes the store.
  func save(_ objects: any PersistentModel...) throws {
    try save(objects)
    close()
  }

  private func save(_ objects: [any PersistentModel]) throws {
    let context = ModelContext(try open())
    for object in objects { context.insert(object) }
    try context.save()
  }

  /// All objects of a model, in a new context of the opened store.
  func all<T: PersistentModel>(_ type: T.Type) throws -> [T] {
    try ModelContext(try open()).fetch(FetchDescriptor<T>())
  }
}
