import Foundation
import QueryEvaluation
import StoreProtocol

/// A backend for a store that implements `RecordStore`.
///
/// It evaluates over the store's records what the store leaves to the layer above.
final class RecordBackend<Store: RecordStore>: StoreBackend {
  private let base: Store
  private let ephemerals: Ephemerals?
  let keepsHistory: Bool

  init(_ base: Store) {
    self.base = base
    keepsHistory = base.capabilities.history.isSupported && base is any HistoryKeeping
    ephemerals = Ephemerals(base.schema)
  }

  var identifier: String { base.identifier }
  var schema: Schema { base.schema }
  var capabilities: StoreCapabilities { base.capabilities }
  var derivesMembers: Bool { true }
  var store: any DataStore { base }

  func withStore<Result>(_ body: (any DataStore) throws -> Result) rethrows -> Result {
    try body(base)
  }

  func read(
    _ query: StoreQuery,
    as request: (any FetchRequest)?,
    _ body: (RowReader) throws -> Void
  ) throws {
    try answered(
      query,
      natively: { try read($0, body) },
      completed: { try read($0, filledBy: ephemerals, body) }
    )
  }

  private func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    guard let ephemerals else { return try base.read(query, body) }
    try base.read(query) { try body(ephemerals.filled($0)) }
  }

  func readMembers(
    of property: String,
    in entity: String,
    owners: [Int64],
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> [Int64: [Int64]]? {
    guard let ephemerals else {
      return try base.readMembers(of: property, in: entity, owners: owners, body)
    }
    return try base.readMembers(of: property, in: entity, owners: owners) {
      try body($0, ephemerals.filled($1))
    }
  }

  // Attributes that no store keeps have to be filled into each row.
  func rowSource(of entity: String) throws -> (any RowSource)? {
    ephemerals == nil ? try base.rowSource(of: entity) : nil
  }

  func readingOneState(_ body: () throws -> Void) throws { try base.readingOneState(body) }

  func count(_ query: StoreQuery, as request: (any FetchRequest)?) throws -> Int {
    try answered(query, natively: base.count, completed: \.count)
  }

  func identifiers(
    _ query: StoreQuery,
    as request: (any FetchRequest)?
  ) throws -> [PersistentIdentifier] {
    try answered(query, natively: base.identifiers) { $0.map(\.persistentIdentifier) }
  }

  func select(_ selection: StoreSelection, _ body: ([StoreValue]) throws -> Void) throws {
    try answered(selection.rowQuery, natively: { _ in try base.select(selection, body) }) {
      try base.evaluation.select(selection, from: $0, body)
    }
  }

  func explain(_ query: StoreQuery) throws -> StoreExplanation { try base.explain(query) }

  func explain(_ selection: StoreSelection) throws -> StoreExplanation {
    let rows = try explain(selection.rowQuery)
    return rows.isNative ? try base.explain(selection) : rows
  }

  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
    try base.members(of: property, in: entity, owners: owners)
  }

  func part(of change: BulkChange) throws -> StoreQueryPart {
    // Attributes that no store keeps have to be filled in before a filter is evaluated.
    try ephemerals == nil ? base.part(of: change) : StoreQueryPart(noneOf: change.query)
  }

  func nextKey() throws -> Int64? { try base.nextKey() }

  func readsSources(of entity: String) -> Bool { base.readsSources(of: entity) }

  func apply(_ changes: StoreChanges, _ related: RelatedObjects) throws -> StoreChangesResult {
    // The store's own files keep the kinds of values, whichever store is being called.
    try TypedSnapshotCoding.$current.withValue(nil) { try base.apply(changes) }
  }

  func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try base.outcome(ofSave: identifier)
  }

  func watch() throws -> (any StoreWatch)? { try base.watch() }

  func erase() throws { try base.erase() }

  func initializeState(for editingState: EditingState) {
    base.initializeState(for: editingState)
  }

  func invalidateState(for editingState: EditingState) {
    base.invalidateState(for: editingState)
  }

  /// Returns the store's result, or completes what it leaves open over its records.
  private func answered<Result>(
    _ query: StoreQuery,
    natively: (StoreQuery) throws -> Result,
    completed: ([DefaultSnapshot]) throws -> Result
  ) throws -> Result {
    let part = try base.part(of: query)
    if part.isComplete { return try natively(query) }
    return try completed(try completing(query, by: part))
  }

  /// Fetches the store's part of a query, and evaluates the rest over the records.
  private func completing(
    _ query: StoreQuery,
    by part: StoreQueryPart
  ) throws -> [DefaultSnapshot] {
    var asked = query.withoutOrder
    asked.filter = part.filter
    var rest = query
    rest.filter = part.remaining
    return try base.evaluation.evaluate(rest, over: base.fetch(asked))
  }
}
