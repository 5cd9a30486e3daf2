import Foundation
import PostgreSQLClient
import RowChanges
import SQLTranslation
import StoreHelpers
import StoreProtocol

// The rows that a save reads, because its changes are made in memory.

extension StoreSave {
  /// Returns requests for the rows that the changes name.
  func namedRows() throws -> [RowRequest] {
    requests(
      for: changes.deleted + changes.updated.map(\.identifier) + changes.expectedVersions.keys
        + referredIdentifiers
    )
  }

  /// The rows that records and changed values refer to.
  var referredIdentifiers: [PersistentIdentifier] {
    changes.inserted.flatMap { $0.values.flatMap(\.identifiers) }
      + changes.updated.flatMap { $0.changes.flatMap(\.value.identifiers) }
  }

  func requests(for identifiers: [PersistentIdentifier]) -> [RowRequest] {
    var keys: [String: Set<Int64>] = [:]
    for identifier in identifiers {
      guard let key = identifier.integerKey, !read.contains(key),
        let root = map.catalog.schema.entity(named: identifier.entityName)?.root
      else { continue }
      keys[root, default: []].insert(key)
    }
    return keys.sorted { $0.key < $1.key }.compactMap { root, keys in
      map.tables[root].map { RowRequest($0, isIn: keys) }
    }
  }

  /// Returns requests for the rows that refer to deleted ones.
  func referrers() -> [RowRequest] {
    let keys = changes.deleted.compactMap(\.integerKey)
    guard !keys.isEmpty else { return [] }
    let deleted = BoundValue.list(keys.map(BoundValue.integer))
    return map.sortedTables.compactMap { table in
      let conditions = table.columns.compactMap { column -> SQLFragment? in
        switch column.kind {
        case .reference: "\(column.name) = ANY (\(bind: deleted))"
        case .list: "\(column.name) && \(bind: deleted)"
        default: nil
        }
      }
      return conditions.isEmpty ? nil : RowRequest(table, "WHERE \(.any(conditions))")
    }
  }

  mutating func add(_ records: [DefaultSnapshot]) throws {
    for record in records {
      guard let key = record.persistentIdentifier.integerKey, read.insert(key).inserted else {
        continue
      }
      try rows.put(record, at: key, unique: map.catalog.uniqueValues(of: record))
    }
    rows.commit(save: rows.lastSave)
  }

  /// Reads the rows that the result depends on and that were not read yet.
  ///
  /// These are the rows with unique values that a changed row had at some step, and the former
  /// counterparts of merged rows.
  mutating func unreadRows(for result: StoreChangesResult) throws -> [DefaultSnapshot] {
    let before = rows.changedRows
    let merged = result.merged.compactMap { result.remapped[$0]?.integerKey }
    return try unreadHolders(of: rows.putRows)
      + counterparts(of: merged.compactMap { before[$0] ?? nil })
  }

  mutating func unreadHolders(of records: [DefaultSnapshot]) throws -> [DefaultSnapshot] {
    guard map.shared.hasConstraints else { return [] }
    var wanted: [StoreConstraint: Set<Data>] = [:]
    for values in records.flatMap(map.catalog.uniqueValues) {
      guard let bytes = try values.values.uniqueBytes else { continue }
      wanted[values.constraint, default: []].insert(bytes)
    }
    return try holders(of: wanted).filter {
      !read.contains($0.persistentIdentifier.integerKey ?? 0)
    }
  }

  /// Reads the rows with unique values that were not asked for, and their one-to-one counterparts.
  mutating func holders(
    of wanted: [StoreConstraint: Set<Data>]
  ) throws -> [DefaultSnapshot] {
    var requests: [RowRequest] = []
    for table in map.sortedTables {
      for (number, constraint) in table.constraints.enumerated() {
        let values = (wanted[constraint] ?? []).subtracting(asked[constraint] ?? [])
        if values.isEmpty { continue }
        let parameter = BoundValue.list(values.map(BoundValue.blob))
        requests.append(
          RowRequest(
            table,
            "WHERE sha256(_u\(String(number))) IN (SELECT sha256(v) FROM unnest(\(bind: parameter)) AS w(v))"
          )
        )
      }
    }
    asked.merge(wanted) { $0.union($1) }
    let found = try reader.records(requests).flatMap(\.self)
    return try found + counterparts(of: found)
  }

  /// Reads the one-to-one counterparts of rows that were not read yet.
  private func counterparts(of records: [DefaultSnapshot]) throws -> [DefaultSnapshot] {
    let identifiers = try records.flatMap { record in
      try map.catalog.schema.requiredEntity(record.persistentIdentifier.entityName)
        .oneToOneProperties.flatMap { record.values[$0].identifiers }
    }
    return try reader.records(requests(for: identifiers)).flatMap(\.self)
  }
}
