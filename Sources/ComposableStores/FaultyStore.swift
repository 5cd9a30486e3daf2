import Foundation
import StoreProtocol

/// A store in which things go wrong as planned: errors, delays, and whatever else a closure does.
///
/// ```swift
/// let plan = FaultPlan()
/// let configuration = MemoryStoreConfiguration().faulty(plan)
/// let container = try ModelContainer(for: Trip.self, configurations: configuration)
/// plan.fail(.save)                           // the next save is refused
/// plan.fail(.save, nth: 2, .after)           // the one after it is stored, and left in doubt
/// plan.fail(.read, with: DataStoreError.storeBusy)
/// ```
///
/// Of a save that it left in doubt the store can tell what became of it, and a context that asks at
/// once learns it; plan an error for ``StoreRequest/Kind/outcome`` to have the store not know.
public final class FaultyStore<Base: RecordStore>: InterceptingStore {
  /// The configuration that describes such a store.
  public typealias Configuration = FaultyStoreConfiguration<Base.Configuration>
  /// The records in which the store deals.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was made from.
  public let configuration: Configuration
  /// The store below.
  public let base: Base
  private var plan: FaultPlan { configuration.plan }

  /// Opens the store below.
  public init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    base = try Base(configuration.base, migrationPlan: migrationPlan)
  }

  public func perform<Answer>(
    _ request: StoreRequest,
    _ body: () throws -> (answer: Answer, rows: Int)
  ) throws -> Answer {
    do {
      try plan.meet(request.kind, .before)
    } catch {
      plan.note(.notSaved, of: request)
      throw error
    }
    let answer = try body().answer
    do {
      try plan.meet(request.kind, .after)
    } catch {
      if let result = answer as? StoreChangesResult { plan.note(.saved(result), of: request) }
      throw error
    }
    return answer
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

/// The description of a store in which things go wrong; copies share the plan.
public struct FaultyStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  /// The kind of store that this configures.
  public typealias Store = FaultyStore<Below.Store>

  /// The configuration of the store below.
  public var base: Below
  /// What goes wrong.
  public let plan: FaultPlan

  /// Creates a configuration.
  public init(_ base: Below, plan: FaultPlan) {
    self.base = base
    self.plan = plan
  }
}

extension DataStoreConfiguration where Store: RecordStore {
  /// The same store, in which things go wrong as planned.
  public func faulty(_ plan: FaultPlan) -> FaultyStoreConfiguration<Self> {
    FaultyStoreConfiguration(self, plan: plan)
  }
}
