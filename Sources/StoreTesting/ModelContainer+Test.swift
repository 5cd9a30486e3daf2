import OpenSwiftData

extension ModelContainer {
  @TaskLocal private static var current: ModelContainer?

  /// The container of the running test.
  ///
  /// The trait `.ephemeralStore(for:store:)` and `withEphemeralStore(for:store:_:)` provide it to
  /// the test and to the functions and tasks that it starts.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` outside of both.
  public static var ofTest: ModelContainer {
    get throws {
      guard let current else {
        throw DataStoreError(
          .invalidConfiguration,
          "no test with a store is running here; give the test the trait .ephemeralStore(for:), or "
            + "run it within ModelContainer.withEphemeralStore(for:). A detached task needs the "
            + "container as a parameter"
        )
      }
      return current
    }
  }

  /// Runs a body with a new store, which is removed afterwards.
  ///
  /// This is the trait `.ephemeralStore(for:store:)` for XCTest and other frameworks:
  ///
  /// ```swift
  /// func testTrips() throws {
  ///   try ModelContainer.withEphemeralStore(for: Schema([Trip.self])) { container in
  ///     let context = ModelContext(container)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - givenSchema: The models.
  ///   - store: The kind of store as a URL; a path is the name of a file in a private folder.
  ///   - body: The test. Within it the container is also `ModelContainer.ofTest`.
  /// - Returns: The result of the body.
  /// - Throws: Errors of the body and of the store.
  public static func withEphemeralStore<Result>(
    for givenSchema: Schema,
    store: String = "memory:",
    _ body: (ModelContainer) throws -> Result
  ) throws -> Result {
    let container = try ephemeral(for: givenSchema, store: store)
    return try $current.withValue(container) { try body(container) }
  }

  /// Runs an asynchronous body with a new store, which is removed afterwards.
  public static func withEphemeralStore<Result>(
    for givenSchema: Schema,
    store: String = "memory:",
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ModelContainer) async throws -> Result
  ) async throws -> Result {
    let container = try ephemeral(for: givenSchema, store: store)
    return try await $current.withValue(container) { try await body(container) }
  }
}
