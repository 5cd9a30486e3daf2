import OpenSwiftData
import StoreTestSupport

/// The places of a test's stores, kept until the test has ended.
final class StorePlaces {
  private var kept: [StorePlace] = []

  /// Opens a store in a place of its own.
  func open(_ kind: EveryStore, for models: any PersistentModel.Type...) throws -> ModelContainer {
    let place = try StorePlace(kind, models)
    kept.append(place)
    return try place.open()
  }
}
