import MemoryStore
import ModelLayer

/// A container in memory for the models of these tests.
func makeContainer() throws -> ModelContainer {
  try ModelContainer(
    for: Trip.self,
    PersonalTrip.self,
    BusinessTrip.self,
    Everything.self,
    Owner.self,
    Node.self,
    configurations: MemoryStoreConfiguration()
  )
}

extension ModelContext {
  /// All objects of a type by the order of their identifiers.
  func all<T: PersistentModel>(_ type: T.Type) throws -> [T] {
    try fetch(FetchDescriptor<T>())
  }
}

/// Configurations for tests that make containers of their own.
enum MemoryFixture {
  /// A store of its own in memory.
  static func configuration() -> any DataStoreConfiguration { MemoryStoreConfiguration() }
}
