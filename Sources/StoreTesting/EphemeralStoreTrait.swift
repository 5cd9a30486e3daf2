import OpenSwiftData
import Testing

/// A trait that gives each test a store of its own.
///
/// See `Trait.ephemeralStore(for:store:)`.
public struct EphemeralStoreTrait: TestTrait, SuiteTrait, TestScoping {
  let schema: Schema
  let store: String

  /// Whether the tests of a suite have the trait: always, each with its own store.
  public var isRecursive: Bool { true }

  /// Runs a test with a new store.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await ModelContainer.withEphemeralStore(for: schema, store: store) { _ in
      try await function()
    }
  }
}

extension Trait where Self == EphemeralStoreTrait {
  /// Gives each test, and each argument of a test, a store of its own.
  ///
  /// ```swift
  /// @Test(.ephemeralStore(for: Trip.self)) func `a trip is saved`() throws {
  ///   let context = ModelContext(try .ofTest)
  /// }
  /// ```
  ///
  /// The container is `ModelContainer.ofTest`, in the initializer of the suite too. Tests share
  /// nothing, so that they may run in parallel. A store that cannot be opened is an issue of the test.
  ///
  /// - Parameters:
  ///   - forTypes: The models.
  ///   - store: The kind of store as a URL. A path is the name of a file in a private folder, which
  ///     is removed after the test.
  /// - Returns: The trait, for a test or for all tests of a suite.
  public static func ephemeralStore(
    for forTypes: any PersistentModel.Type...,
    store: String = "memory:"
  ) -> Self {
    ephemeralStore(for: Schema(forTypes), store: store)
  }

  /// Gives each test a store of a schema; see `ephemeralStore(for:store:)`.
  public static func ephemeralStore(for givenSchema: Schema, store: String = "memory:") -> Self {
    EphemeralStoreTrait(schema: givenSchema, store: store)
  }
}
