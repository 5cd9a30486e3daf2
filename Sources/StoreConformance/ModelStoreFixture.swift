import StoreProtocol

/// A fixture for stores that were written against SwiftData's `DataStore`.
///
/// Such a store has snapshots of models and no records. Only the rules about models apply to it,
/// through a `ModelContainer`.
///
/// ```swift
/// struct Fixture: ModelStoreFixture {
///   func makeLocation() throws -> MyConfiguration { MyConfiguration(fileURL: … ) }
///   func destroy(_ location: MyConfiguration) throws { … }
/// }
///
/// @Test(arguments: try ConformanceRun(Fixture()).rules)
/// func keeps(_ rule: Rule) throws { try ConformanceRun(Fixture()).check(rule) }
/// ```
public protocol ModelStoreFixture: Sendable {
  /// The type of configuration, which determines the type and the location of a store.
  associatedtype Configuration: DataStoreConfiguration

  /// Returns the configuration of a location that has never contained a store.
  func makeLocation() throws -> Configuration

  /// Closes a store, if that takes more than releasing it.
  func close(_ store: Configuration.Store) throws

  /// Removes a location with all its files; its store is closed.
  func destroy(_ location: Configuration) throws

  /// The capabilities of the stores, as their documentation states them.
  ///
  /// SwiftData's protocol has no requirement for them.
  var capabilities: StoreCapabilities { get }
}

extension ModelStoreFixture {
  /// Does nothing: the store closes when it is released.
  public func close(_ store: Configuration.Store) throws {}

  /// The capabilities of a store that keeps objects as long as its process, and evaluates nothing
  /// itself.
  public var capabilities: StoreCapabilities { StoreCapabilities() }

  func open(_ location: Configuration, schema: Schema?) throws -> Configuration.Store {
    var configuration = location
    configuration.schema = schema
    try configuration.validate()
    return try Configuration.Store(configuration, migrationPlan: nil)
  }
}
