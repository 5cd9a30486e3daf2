import Foundation
import PostgreSQLClient
import RowChanges
import StoreHelpers
import StoreProtocol

/// Migrates a store to another schema in a transaction whose first statement locked `_meta`.
struct StructureRun {
  let old: StoreMap
  let features: ServerFeatures
  let connection: Connection
  let name: String
  var progress: StructureProgress = { _, _ in }

  private var conversion: RecordConversion {
    RecordConversion(file: name, progress: progress)
  }

  /// Executes the changes, all or none.
  func run(through changes: [StructureChange]) throws -> StructureReport {
    guard let last = changes.last else { return StructureReport() }
    let records = try self.records()
    let converted = try conversion.converted(records, from: old.schema, through: changes)
    let new = StoreMap(
      try SchemaMap(last.schema),
      storeIdentifier: old.storeIdentifier,
      space: old.space
    )
    var statements = old.sortedTables.map { Statement("DROP TABLE \($0.name)") }
    statements += new.sortedTables.flatMap { $0.definitions(features) }.map { Statement($0) }
    for statement in statements { try connection.run(statement) }
    for (root, records) in new.catalog.byRoot(converted) {
      guard let table = new.tables[root] else { continue }
      try connection.run(TableRows.statements(of: records, in: table, new))
    }
    try connection.run(
      Statement(
        "UPDATE \(old.space)._meta SET schema = $1, structure = structure + 1",
        [Parameter(try last.schema.storedText)]
      )
    )
    let renaming = HistoryRenaming(from: old.schema, through: changes.map(\.schema))
    try connection.run(StoredHistory(old, connection).rename(renaming))
    var report = StructureReport()
    report.statements = statements.map { $0.inSchema(old.space).sql }
    report.rowsWritten = converted.count
    report.rowsRemoved = records.count - converted.count
    return report
  }

  /// Returns the violations that prevent a change.
  func violations(of change: StructureChange) throws -> [SchemaViolation] {
    let difference = SchemaDifference(from: old.schema, to: change.schema)
    return try conversion.converted(records(), difference, change).1
  }

  private func records() throws -> [DefaultSnapshot] {
    let requests = old.sortedTables.map { RowRequest($0, "ORDER BY _key") }
    return try RecordReader(map: old, connection: connection).records(requests).flatMap(\.self)
  }
}

extension StoreSchema {
  /// The schema as text for `_meta`.
  var storedText: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}
