import Foundation
import StoreProtocol

/// A store around another, which forwards everything that it does not implement itself.
///
/// A custom store is a few lines: its configuration, its initializer, and the differences.
///
/// ```swift
/// final class PatientStore<Base: RecordStore>: WrappingStore {
///   let configuration: PatientStoreConfiguration<Base.Configuration>
///   let base: Base
///
///   init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
///     self.configuration = configuration
///     base = try Base(configuration.base, migrationPlan: migrationPlan)
///   }
///
///   func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
///     do { return try base.apply(changes) } catch DataStoreError.storeBusy { return try base.apply(changes) }
///   }
/// }
/// ```
///
/// The identifiers are those of the wrapped store, so that a store can be wrapped and unwrapped
/// between two starts of a program. One line each adds history, maintenance and migration:
/// `extension PatientStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {}`. The
/// same applies to ``MaintainableStore``, ``MigratableStore`` and ``RewritableStore``.
public protocol WrappingStore: ForwardingStore
where Configuration: WrappingConfiguration, Configuration.Below == Base.Configuration {
  /// The type of the wrapped store.
  associatedtype Base: RecordStore
  /// The wrapped store.
  var base: Base { get }
}

extension WrappingStore {
  public var target: any RecordStore { base }

  public var capabilities: StoreCapabilities { base.capabilities.passedOn(from: base) }

  /// Lists the related objects, so that their rows are read by ``ForwardingStore/read(_:_:)``, which a
  /// wrapping store may have changed.
  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    .listed(try base.members(of: property, in: entity, owners: owners))
  }

  public func close() throws { try base.close() }

  public func initializeState(for editingState: EditingState) {
    base.initializeState(for: editingState)
  }

  public func invalidateState(for editingState: EditingState) {
    base.invalidateState(for: editingState)
  }
}

extension StoreCapabilities {
  /// Returns the capabilities of a store that remain when another wraps it.
  fileprivate func passedOn(from store: any RecordStore) -> StoreCapabilities {
    guard history.isSupported, !(store is any HistoryKeeping) else { return self }
    var result = self
    result.history = .unsupported(
      "the wrapped store has its own type of history, which is not available"
    )
    return result
  }
}
