import ModelLayer

extension StoreBench {
  /// Runs a body with a new container for the location, whose store is closed before and after.
  ///
  /// The container creates the store from the configuration of the fixture's own store.
  func withContainer<Result>(_ body: (ModelContainer) throws -> Result) throws -> Result {
    let configuration = try Self.configuration(of: openAny(ModelSample.schema))
    try close()
    let container = try ModelContainer(for: ModelSample.schema, configurations: [configuration])
    return try body(container)
  }

  /// Runs a body with a new context for the location.
  func withContext<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
    try withContainer { container in
      let context = ModelContext(container)
      // Objects that refer to each other in a cycle would keep the context, and with it the store.
      defer { context.reset() }
      return try body(context)
    }
  }

  private static func configuration<Store: DataStore>(
    of store: Store
  ) -> any DataStoreConfiguration {
    var configuration = store.configuration
    configuration.schema = ModelSample.schema
    return configuration
  }
}
