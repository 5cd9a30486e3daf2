import Foundation
import StoreProtocol

/// A store that forwards each requirement of `RecordStore` that it does not implement itself.
///
/// It is the one place that names all requirements: a store around another adopts ``WrappingStore``, or
/// this protocol if it does not open the other store.
public protocol ForwardingStore: RecordStore {
  /// The store to which requests are forwarded.
  var target: any RecordStore { get }
}

extension ForwardingStore {
  public var identifier: String { target.identifier }

  public var schema: Schema { target.schema }

  public var capabilities: StoreCapabilities { target.capabilities }

  public func count(_ query: StoreQuery) throws -> Int { try target.count(query) }

  public func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    try target.read(query, body)
  }

  public func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try target.select(selection, body)
  }

  public func plan(_ request: StorePlan.Request, explained: Bool) throws -> StorePlan {
    try target.plan(request, explained: explained)
  }

  public func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    try target.members(of: property, in: entity, owners: owners, wantsRows: wantsRows, body)
  }

  public func nextKey() throws -> Int64? { try target.nextKey() }

  public func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try target.apply(changes)
  }

  public func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try target.outcome(ofSave: identifier)
  }

  public func readingOneState(_ body: () throws -> Void) throws { try target.readingOneState(body) }

  public func watch() throws -> (any StoreWatch)? { try target.watch() }

  public var latestSave: Int64? { target.latestSave }

  public func erase() throws { try target.erase() }
}
