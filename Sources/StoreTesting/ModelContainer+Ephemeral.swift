import ComposableStores
import Foundation
import OpenSwiftData

extension ModelContainer {
  /// Opens a new store for a test, which is removed with the container.
  ///
  /// ```swift
  /// let container = try ModelContainer.ephemeral(for: Trip.self)
  /// let onDisk = try ModelContainer.ephemeral(for: Trip.self, store: "json:trips.json")
  /// ```
  ///
  /// Two such containers share nothing, so that tests may run concurrently and in any order.
  ///
  /// - Parameters:
  ///   - forTypes: The models.
  ///   - store: The kind of store as a URL. A path is the name of a file in a private folder, which
  ///     is removed after the container and its contexts have ended.
  ///   - faults: The faults of the store; see ``FaultPlan``.
  ///   - environment: The source of time and identifiers for the store; the system's by default.
  /// - Returns: The container.
  /// - Throws: `DataStoreError.invalidConfiguration` for a path with folders in it, for an unknown
  ///   scheme, and for one whose stores have no records; and errors of the store.
  public static func ephemeral(
    for forTypes: any PersistentModel.Type...,
    store: String = "memory:",
    faults: FaultPlan = FaultPlan(),
    environment: StoreEnvironment? = nil
  ) throws -> ModelContainer {
    try ephemeral(
      for: Schema(forTypes),
      store: store,
      faults: faults,
      environment: environment
    )
  }

  /// Opens a store of a schema for a test; see `ephemeral(for:store:faults:environment:)`.
  public static func ephemeral(
    for givenSchema: Schema,
    store: String = "memory:",
    faults: FaultPlan = FaultPlan(),
    environment: StoreEnvironment? = nil
  ) throws -> ModelContainer {
    try ephemeral(for: givenSchema, faults: faults, environment: environment) { folder in
      try StoreScheme.configuration(for: EphemeralURL(store).text(in: folder))
    }
  }

  /// Opens a store of any kind for a test; see `ephemeral(for:store:faults:environment:)`.
  ///
  /// ```swift
  /// let container = try ModelContainer.ephemeral(for: Schema([Trip.self])) { folder in
  ///   MyStoreConfiguration(url: folder.appending(path: "trips.my"))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - givenSchema: The models.
  ///   - faults: The faults of the store.
  ///   - environment: The source of time and identifiers for the store.
  ///   - makeConfiguration: Creates the configuration of the store, which may be in the folder that
  ///     is passed.
  /// - Returns: The container.
  /// - Throws: Errors of `makeConfiguration` and of the store, and
  ///   `DataStoreError.invalidConfiguration` for a store without records.
  public static func ephemeral(
    for givenSchema: Schema,
    faults: FaultPlan = FaultPlan(),
    environment: StoreEnvironment? = nil,
    configuration makeConfiguration: (_ folder: URL) throws -> any DataStoreConfiguration
  ) throws -> ModelContainer {
    let ephemeralFolder = try EphemeralFolder()
    return try StoreEnvironment.$current.withValue(environment ?? .current) {
      let configuration = try makeConfiguration(ephemeralFolder.folder)
      let wrapped = try ephemeralFolder.wrapped(configuration, faults, environment)
      return try ModelContainer(for: givenSchema, configurations: [wrapped])
    }
  }
}

/// A store's URL whose path is a name within a temporary folder.
private struct EphemeralURL {
  private let given: String
  private let url: StoreURL

  init(_ text: String) throws {
    given = text
    url = try StoreURL(text)
    // By bytes: a slash with a combining mark is one character, and still a slash to the system.
    guard !url.path.utf8.contains(UInt8(ascii: "/")), url.path != "..", url.path != "." else {
      throw DataStoreError(
        .invalidConfiguration,
        "an ephemeral store is created in its own folder; write \(url.scheme):NAME instead of "
          + "\(text)"
      )
    }
  }

  /// Returns the URL with the folder before the path, unless the store is in memory.
  func text(in folder: URL) -> String {
    guard !url.path.isEmpty, url.path != ":memory:" else { return given }
    let path = folder.appending(path: url.path).path(percentEncoded: false)
    return url.text(withPath: path)
  }
}

extension EphemeralFolder {
  /// Wraps the store of a configuration for a test.
  fileprivate func wrapped<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration,
    _ faults: FaultPlan,
    _ environment: StoreEnvironment?
  ) throws -> any DataStoreConfiguration {
    func wrapped<Store: RecordStore>(_ kind: Store.Type) -> (any DataStoreConfiguration)? {
      guard let configuration = configuration as? Store.Configuration else { return nil }
      return EphemeralStoreConfiguration(
        base: configuration.faulty(faults).counted(),
        ephemeralFolder: self,
        environment: environment
      )
    }
    guard let kind = Configuration.Store.self as? any RecordStore.Type, let found = wrapped(kind)
    else {
      throw DataStoreError(
        .invalidConfiguration,
        "an ephemeral container needs a store that adopts RecordStore, and "
          + "\(Configuration.Store.self) does not"
      )
    }
    return found
  }
}
