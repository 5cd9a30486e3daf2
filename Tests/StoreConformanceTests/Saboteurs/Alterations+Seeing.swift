import Foundation
import OpenSwiftData

@testable import StoreConformance

extension Alterations {
  /// What a store does with values that it does not see as they are.
  enum Sight {
    case filters, orders
  }

  /// Evaluates queries as if all values and constants were others; the rows themselves are right.
  static func seeing(
    _ sight: Sight,
    constants: Bool = true,
    _ change: @escaping @Sendable (StoreValue) -> StoreValue
  ) -> Alterations {
    fetching { store, query in
      guard sight == .filters ? query.filter != nil : !query.sort.isEmpty else { return nil }
      let schema = store.schema.storeSchema
      guard let root = schema.entity(named: query.entity) else { return nil }
      let records = try store.fetch(StoreQuery(entity: root.name))
      let rows = try records.map { record in
        var seen = record
        seen.values = record.values.map(change)
        let name = record.persistentIdentifier.entityName
        guard let entity = schema.entity(named: name) else {
          throw DataStoreError(.schemaMismatch, "no such entity", entity: name)
        }
        return SnapshotRow(seen, entity)
      }
      let evaluator = QueryEvaluator<SnapshotRow>(
        schema: schema,
        row: { one in rows.first { $0.identifier == one } },
        members: { row, index in
          let name = row.entity.properties[index].name
          let found = try store.members(of: name, in: row.entity.name, owners: [row.identifier])
          return found[row.identifier] ?? []
        }
      )
      var asked = query
      if constants { asked.filter = query.filter.map { constantsChanged($0, change) } }
      return try evaluator.evaluate(asked, over: rows).compactMap { row in
        records.first { $0.persistentIdentifier == row.identifier }
      }
    }
  }

  private static func constantsChanged(
    _ expression: QueryExpression,
    _ change: @Sendable (StoreValue) -> StoreValue
  ) -> QueryExpression {
    if case .constant(let value) = expression { return .constant(change(value)) }
    return expression.replacingChildren(
      expression.children.map { constantsChanged($0, change) }
    )
  }

  /// Evaluates queries over records of its own; `nil` leaves a query to the store.
  static func fetching(
    _ records: @escaping @Sendable (any RecordStore, StoreQuery) throws -> [DefaultSnapshot]?
  ) -> Alterations {
    var alterations = Alterations()
    alterations.fetch = records
    alterations.read = records
    alterations.count = { try records($0, $1)?.count }
    alterations.identifiers = { try records($0, $1)?.map(\.persistentIdentifier) }
    return alterations
  }

  /// Takes new records for rows whose values are equal only when they are looked at carelessly.
  static func uniting(
    _ change: @escaping @Sendable (StoreValue) -> StoreValue
  ) -> Alterations {
    var alterations = Alterations()
    alterations.apply = { store, changes in
      guard let record = changes.inserted.first, changes.inserted.count == 1,
        let value = record["value"], !value.isNull
      else { return try store.apply(changes) }
      let rows = try store.fetch(StoreQuery(entity: record.persistentIdentifier.entityName))
      guard let row = rows.first(where: { $0["value"].map(change) == change(value) }) else {
        return try store.apply(changes)
      }
      let update = StoreUpdate(
        identifier: row.persistentIdentifier,
        changes: [.init(0, record["name"] ?? .null)]
      )
      var result = try store.apply(StoreChanges(updated: [update]))
      result.remapped[record.persistentIdentifier] = row.persistentIdentifier
      result.merged = [record.persistentIdentifier]
      return result
    }
    return alterations
  }

  /// Counts how often the location was opened; the alteration applies from the second time on.
  static func reopened(
    _ make: (@escaping @Sendable () -> Bool) -> Alterations
  ) -> Alterations {
    let opened = Shared(0)
    var alterations = make { opened.value > 1 }
    alterations.schema = { schema in
      opened.withLock { $0 += 1 }
      return schema
    }
    return alterations
  }

  /// Gives records in which values are others.
  static func showing(
    _ change: @escaping @Sendable (String, StoreValue) -> StoreValue
  ) -> Alterations {
    giving { rows, _, _ in rows.map { $0.changing(change) } }
  }
}

extension DefaultSnapshot {
  /// The record with values changed by name.
  func changing(_ change: (String, StoreValue) -> StoreValue) -> DefaultSnapshot {
    var record = self
    for (index, name) in names.names.enumerated() {
      record.values[index] = change(name, values[index])
    }
    return record
  }
}

extension StoreValue {
  /// The value with its text changed, where it is one.
  func text(_ change: (String) -> String) -> StoreValue {
    if case .string(let text) = self { .string(change(text)) } else { self }
  }

  /// The value with its real number changed, where it is one.
  func real(_ change: (Double) -> Double) -> StoreValue {
    if case .double(let number) = self { .double(change(number)) } else { self }
  }

  /// The value with its integer changed, where it is one.
  func whole(_ change: (Int64) -> Int64) -> StoreValue {
    if case .integer(let number) = self { .integer(change(number)) } else { self }
  }

  /// The value with its date changed, as seconds, where it is one.
  func seconds(_ change: (Double) -> Double) -> StoreValue {
    guard case .date(let date) = self else { return self }
    return .date(Date(timeIntervalSinceReferenceDate: change(date.timeIntervalSinceReferenceDate)))
  }

  /// The value with its decimal number changed, where it is one.
  func decimal(_ change: (Decimal) -> Decimal) -> StoreValue {
    if case .decimal(let number) = self { .decimal(change(number)) } else { self }
  }
}
