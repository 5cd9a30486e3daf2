import Foundation
import SwiftData
import WidgetKit

#if canImport(OpenSwiftData)
  // Only where SwiftData is OpenSwiftData by another name.
  import OpenSwiftData
#endif

/// The stores of the app.
enum BackyardStore {
  static let models: [any PersistentModel.Type] = [Backyard.self, Plant.self, Observation.self]

  /// The container of the app, or one in memory for previews and tests.
  static func container(inMemory: Bool = false) throws -> ModelContainer {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: inMemory)
    return try ModelContainer(for: Schema(models), configurations: configuration)
  }

  /// Saves the changes of a context, which the widgets then show.
  static func save(_ context: ModelContext) throws {
    try context.save()
    WidgetCenter.shared.reloadAllTimelines()
  }

  // snippet.shared-store
  #if canImport(OpenSwiftData)
    /// A container of another store, which SwiftData does not have.
    static func container(store url: String) throws -> ModelContainer {
      try ModelContainer(for: Schema(models), store: url)
    }
  #endif
  // snippet.end
}
