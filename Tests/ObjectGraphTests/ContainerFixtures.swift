import OpenSwiftData
import StoreTestSupport

/// The stores of a test, kept until the test has ended.
final class ContainerFixtures {
  private var kept: [ContainerFixture] = []

  /// Opens a store in a folder of its own.
  func open(_ kind: EveryStore, for models: any PersistentModel.Type...) throws -> ModelContainer {
    let fixture = try ContainerFixture(kind, models)
    kept.append(fixture)
    return try fixture.open()
  }
}
