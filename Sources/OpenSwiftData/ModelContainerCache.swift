import ModelLayer
import StoreProtocol
import Synchronization

/// Containers of many stores with the same models, such as one for each tenant of a service.
///
/// ```swift
/// let database = try PostgreSQLDatabase(url: "postgres://shop@host/shop", schema: schema)
/// let tenants = ModelContainerCache(for: schema) { try database.configuration(ofStore: $0) }
/// let context = ModelContext(try tenants.container(named: "tenant-7"))
/// ```
///
/// A store has at most one container of the cache at a time. The cache retains the containers that
/// were used last. The others close when the program no longer retains them.
public final class ModelContainerCache: Sendable {
  /// The models.
  public let schema: Schema
  /// The plan that migrates older stores to the models.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The maximum number of containers that the cache retains.
  public let limit: Int
  /// The threads that open stores for asynchronous code.
  private static let threads = BackgroundTaskQueue(patience: nil)
  private let configuration: @Sendable (String) throws -> any DataStoreConfiguration
  private let slots = Mutex(Slots())

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - schema: The models.
  ///   - migrationPlan: The plan that migrates older stores to the models.
  ///   - limit: The maximum number of containers to retain.
  ///   - configuration: Returns the configuration of the store with a name.
  public init(
    for schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    limit: Int = 1_000,
    configuration: @escaping @Sendable (String) throws -> any DataStoreConfiguration
  ) {
    self.schema = schema
    self.migrationPlan = migrationPlan
    self.limit = max(1, limit)
    self.configuration = configuration
  }

  /// Returns the container of a store, and opens the store if there is none.
  ///
  /// Calls for one store wait for each other; calls for different stores do not.
  ///
  /// - Throws: Errors of the configuration and of opening the store.
  public func container(named name: String) throws -> ModelContainer {
    if let open = slots.withLock({ $0.useOpen(name) }) { return open }
    let opening = slots.withLock { $0.beginOpening(name) }
    defer { slots.withLock { $0.endOpening(name) } }
    return try opening.mutex.withLock { _ in
      if let open = slots.withLock({ $0.useOpen(name) }) { return open }
      let container = try ModelContainer(
        for: schema,
        migrationPlan: migrationPlan,
        configurations: [configuration(name)]
      )
      // A released container ends after the lock.
      let released = slots.withLock { $0.retain(container, name, limit) }
      return withExtendedLifetime(released) { container }
    }
  }

  /// Returns the container of a store, and opens the store if there is none, without blocking one of
  /// Swift's threads.
  ///
  /// - Throws: Errors of the configuration and of opening the store.
  public func container(named name: String) async throws -> ModelContainer {
    if let open = slots.withLock({ $0.useOpen(name) }) { return open }
    return try await Self.threads.run { try self.container(named: name) }
  }
}

/// Makes the calls for one store wait for each other.
private final class Opening: Sendable {
  let mutex = Mutex(())
}

private struct Slots {
  struct Slot {
    let opening = Opening()
    weak var container: ModelContainer?
    var retained: ModelContainer?
    var lastUse = 0
    /// The number of calls that open the store or wait for it.
    var waiting = 0
  }

  private var byName: [String: Slot] = [:]
  private var uses = 0

  /// Returns the container of a store, or `nil` if there is none.
  mutating func useOpen(_ name: String) -> ModelContainer? {
    guard let container = byName[name]?.container else { return nil }
    noteUse(of: name)
    byName[name]?.retained = container
    return container
  }

  /// Returns the lock for opening a store, until ``endOpening(_:)``.
  mutating func beginOpening(_ name: String) -> Opening {
    noteUse(of: name)
    byName[name, default: Slot()].waiting += 1
    return byName[name, default: Slot()].opening
  }

  mutating func endOpening(_ name: String) {
    byName[name]?.waiting -= 1
    if byName[name]?.waiting == 0, byName[name]?.container == nil { byName[name] = nil }
  }

  private mutating func noteUse(of name: String) {
    uses += 1
    byName[name, default: Slot()].lastUse = uses
  }

  /// Retains a container, and returns those that are no longer retained.
  mutating func retain(
    _ container: ModelContainer,
    _ name: String,
    _ limit: Int
  ) -> [ModelContainer] {
    byName[name]?.container = container
    byName[name]?.retained = container
    guard byName.count > limit else { return [] }
    byName = byName.filter { $0.value.container != nil || $0.value.waiting > 0 }
    let retained = byName.filter { $0.value.retained != nil }
      .sorted { $0.value.lastUse < $1.value.lastUse }
    let released = retained.prefix(max(0, retained.count - limit))
    for slot in released { byName[slot.key]?.retained = nil }
    return released.compactMap(\.value.retained)
  }
}
