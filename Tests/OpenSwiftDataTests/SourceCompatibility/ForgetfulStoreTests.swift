import OpenSwiftData
import Testing

/// A custom store that saves without returning identifiers.
final class ForgetfulStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = ForgetfulStore
    var name = "forgetful"
    var schema: Schema?

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let schema: Schema
  let identifier = "forgetful"

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = try #require(configuration.schema)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    DataStoreSaveChangesResult(for: identifier)
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: [],
      relatedSnapshots: [:]
    )
  }
}

@Suite("A custom store without identifiers for new rows")
struct ForgetfulStoreTests {
  @Test func `causes an error that names the missing identifiers and the value to return`() throws {
    let schema = Schema([Coin.self])
    let configuration = ForgetfulStore.Configuration(schema: schema)
    let container = try ModelContainer(for: schema, configurations: configuration)
    let context = ModelContext(container)
    let coins = (1...5).map(Coin.init)
    for coin in coins { context.insert(coin) }
    let error = #expect(throws: DataStoreError.self) { try context.save() }
    let message = try #require(error).description
    #expect(message.contains("ForgetfulStore.save(_:)"))
    #expect(message.contains("5 of 5 new objects"))
    #expect(message.contains("\(coins[0].persistentModelID)"))
    #expect(message.contains("and 2 more"))
    #expect(message.contains("remappedIdentifiers"))
    #expect(message.contains("request.inserted"))
  }
}
