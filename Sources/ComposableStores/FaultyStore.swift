import Foundation
import StoreProtocol

/// A store with planned faults: errors, delays, and other effects of closures.
///
/// ```swift
/// let plan = FaultPlan()
/// let configuration = MemoryStoreConfiguration().faulty(plan)
/// let container = try ModelContainer(for: Trip.self, configurations: configuration)
/// plan.fail(.save)                           // the next save is refused
/// plan.fail(.save, nth: 2, .after)           // the one after it is stored, outcome unknown
/// plan.fail(.read, with: DataStoreError.storeBusy)
/// ```
///
/// The store knows the outcome of an indeterminate save, and a context that asks at once gets it.
/// Plan an error for ``StoreRequest/Kind/outcome`` to make the outcome unknown.
public final class FaultyStore<Base: RecordStore>: InterceptingStore {
  /// The type of the store's configuration.
  public typealias Configuration = FaultyStoreConfiguration<Base.Configuration>

  /// The configuration of the store.
  public let configuration: Configuration
  /// The wrapped store.
  public let base: Base
  private var plan: FaultPlan { configuration.plan }

  /// Opens the wrapped store.
  public init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try Base(configuration.base, migrationPlan: migrationPlan)
  }

  public func perform<Value>(
    _ request: StoreRequest,
    _ body: () throws -> (value: Value, rows: Int)
  ) throws -> Value {
    do {
      try plan.meet(request.kind, .before)
    } catch {
      plan.note(.notSaved, of: request)
      throw error
    }
    let value = try body().value
    do {
      try plan.meet(request.kind, .after)
    } catch {
      if let result = value as? StoreChangesResult { plan.note(.saved(result), of: request) }
      throw error
    }
    return value
  }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try perform(.outcome(identifier)) {
      (try plan.outcome(ofSave: identifier) ?? base.outcome(ofSave: identifier), 0)
    }
  }
}

extension FaultyStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {}
extension FaultyStore: MaintainableStore where Base: MaintainableStore {}
extension FaultyStore: MigratableStore where Base: MigratableStore {}
extension FaultyStore: RewritableStore where Base: RewritableStore {}

/// The configuration of a store with planned faults; copies share the plan.
public struct FaultyStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  /// The type of the configured store.
  public typealias Store = FaultyStore<Below.Store>

  /// The configuration of the wrapped store.
  public var base: Below
  /// The plan of the faults.
  public let plan: FaultPlan

  /// Creates a configuration.
  public init(_ base: Below, plan: FaultPlan) {
    self.base = base
    self.plan = plan
  }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// Returns a configuration of the store in which requests fail as planned.
  public func faulty(_ plan: FaultPlan) -> FaultyStoreConfiguration<Self> {
    FaultyStoreConfiguration(self, plan: plan)
  }
}
