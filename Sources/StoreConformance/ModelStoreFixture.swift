import StoreProtocol

/// What the suite has to know to try a store that was written against SwiftData's `DataStore`.
///
/// Such a store has snapshots of models and no records, so that the rules that speak of models are
/// tried on it, through a `ModelContainer`.
///
/// ```swift
/// struct Fixture: ModelStoreFixture {
///   func makePlace() throws -> MyConfiguration { MyConfiguration(fileURL: … ) }
///   func destroy(_ place: MyConfiguration) throws { … }
/// }
///
/// @Test(arguments: try ConformanceRun(Fixture()).rules)
/// func keeps(_ rule: Rule) throws { try ConformanceRun(Fixture()).check(rule) }
/// ```
public protocol ModelStoreFixture: Sendable {
  /// The kind of configuration, which names the kind of store and the place of one.
  associatedtype Configuration: DataStoreConfiguration

  /// Returns the configuration of a place where no store ever was.
  func makePlace() throws -> Configuration

  /// Closes a store, where that takes more than to let go of it.
  func close(_ store: Configuration.Store) throws

  /// Removes a place with all that is in it; its store is closed.
  func destroy(_ place: Configuration) throws

  /// What the stores can do: SwiftData's protocol has no word for it, so that the fixture says what the
  /// store's documentation promises.
  var capabilities: StoreCapabilities { get }
}

extension ModelStoreFixture {
  /// Does nothing: the store closes when nobody holds it.
  public func close(_ store: Configuration.Store) throws {}

  /// Those of a store that keeps objects as long as its process lives, and does nothing itself.
  public var capabilities: StoreCapabilities { StoreCapabilities() }

  func open(_ place: Configuration, schema: Schema?) throws -> Configuration.Store {
    var configuration = place
    configuration.schema = schema
    try configuration.validate()
    return try Configuration.Store(configuration, migrationPlan: nil)
  }
}
