import ComposableStores
import Foundation
import StoreProtocol

/// A store that forwards all requests to another and records them in a trace.
final class TracedStore: ForwardingStore {
  let configuration: TracedConfiguration
  /// The wrapped store.
  var base: any RecordStore { configuration.base }
  var target: any RecordStore { base }
  var trace: Trace { configuration.trace }

  init(
    _ configuration: TracedConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) {
    self.configuration = configuration
  }

  func read(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    switch query.content {
    case .values: try readValues(query, body)
    case .records:
      let records = try trace.note({ TraceText.query("fetch", query) }, TraceText.records) {
        let records = try base.fetch(query)
        try records.forEach(Self.checkForm)
        return records
      }
      try read(records: records, body)
    case .identifiers:
      let found = try trace.note(
        { TraceText.query("identifiers", query) },
        TraceText.identifiers,
        { try base.identifiers(query) }
      )
      try read(identifiers: found, body)
    }
  }

  // Subscripts of a record by name depend on this.
  private static func checkForm(_ record: DefaultSnapshot) throws {
    guard record.values.count != record.names.names.count else { return }
    throw RuleViolation(
      "the record of \(record.persistentIdentifier)",
      expected: "a value for each of its \(record.names.names.count) names",
      found: "\(record.values.count) values"
    )
  }

  func count(_ query: StoreQuery) throws -> Int {
    try trace.note({ TraceText.query("count", query) }, { (count: Int) in "\(count)" }) {
      try base.count(query)
    }
  }

  private func readValues(_ query: StoreQuery, _ body: (RowReader) throws -> Void) throws {
    _ = try trace.note({ TraceText.query("read", query) }, { (rows: Int) in "\(rows) rows" }) {
      var rows = 0
      try base.read(query) {
        rows += 1
        try body($0)
      }
      return rows
    }
  }

  func select(
    _ selection: StoreSelection,
    _ body: ([StoreValue]) throws -> Void
  ) throws {
    try trace.note({ TraceText.selection(selection) }, { (_: Void) in "done" }) {
      try base.select(selection, body)
    }
  }

  func members(
    of property: String,
    in entity: String,
    owners: [PersistentIdentifier],
    wantsRows: Bool,
    _ body: (_ owner: Int64, RowReader) throws -> Void
  ) throws -> StoreMembers {
    try trace.note(
      { TraceText.cut("members of \(entity).\(property) of \(TraceText.identifiers(owners))") },
      { TraceText.cut("\($0)") },
      { try base.members(of: property, in: entity, owners: owners, wantsRows: wantsRows, body) }
    )
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    trace.count(changes)
    // Objects may have changed when the text is made.
    let recorded = changes.recorded
    return try trace.note({ TraceText.batch(recorded) }, TraceText.result) {
      try base.apply(changes)
    }
  }

  func outcome(ofSave identifier: UUID) throws -> SaveOutcome {
    try trace.note({ "outcome(ofSave:)" }, { TraceText.cut("\($0)") }) {
      try base.outcome(ofSave: identifier)
    }
  }

  func erase() throws { try trace.note({ "erase" }, { (_: Void) in "done" }) { try base.erase() } }
}

/// The configuration of a traced store, which contains the store itself.
struct TracedConfiguration: DataStoreConfiguration, Sendable {
  typealias Store = TracedStore

  let base: any RecordStore
  let trace: Trace
  var schema: Schema?
  let name = "traced"

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.base === rhs.base }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(base)) }
}
