import PostgreSQLClient
import RowChanges
import SQLTranslation
import StoreProtocol
import StructuredText

/// Adds rows to tables.
struct RowInsertion {
  /// The maximum number of rows that one statement adds.
  private static let rowsAtOnce = 1000

  let map: StoreMap

  /// Returns the statements that add records to a table, or replace the rows with their keys.
  func statements(
    of records: [DefaultSnapshot],
    into table: EntityTable,
    replacing: Bool = false
  ) throws -> [Statement] {
    try stride(from: 0, to: records.count, by: Self.rowsAtOnce).flatMap { start in
      let part = Array(records[start..<min(start + Self.rowsAtOnce, records.count)])
      // In an UPDATE Citus forwards values as text, in which all NaN are the same.
      guard replacing, part.contains(where: { $0.values.contains(where: \.isNaN) }) else {
        return [try statement(of: part, into: table, replacing)]
      }
      let keys = Parameter(array: part.map(\.persistentIdentifier.integerKey))
      return [
        Statement("DELETE FROM \(table.name) WHERE _key = ANY($1)", [keys], isPrepared: true),
        try statement(of: part, into: table, false),
      ]
    }
  }

  private func statement(
    of records: [DefaultSnapshot],
    into table: EntityTable,
    _ replacing: Bool
  ) throws -> Statement {
    var names = ["_key", "_version"]
    var values = ["r.c0", "r.c1"]
    var types = ["int8[]", "int8[]"]
    var parameters = [
      Parameter(array: records.map(\.persistentIdentifier.integerKey)),
      Parameter(array: records.map(\.version)),
    ]
    func add(_ name: String, _ type: String, _ parameter: Parameter, of kind: ColumnKind? = nil) {
      let value = "r.c\(names.count)"
      names.append(name)
      values.append(kind?.element(value) ?? value)
      types.append(type)
      parameters.append(parameter)
    }
    if table.isShared {
      add("_entity", "text[]", Parameter(array: records.map(\.persistentIdentifier.entityName)))
    }
    for (number, constraint) in table.constraints.enumerated() {
      let unique = try records.map { record in
        try map.catalog.uniqueValues(of: record).first { $0.constraint == constraint }?.bytes
      }
      add("_u\(number)", "bytea[]", Parameter(array: unique))
    }
    var spellings: [[StoreValue.Member]] = Array(repeating: [], count: records.count)
    // The index of each column's value, or `nil` if the entity has none.
    let indexes = table.positions.mapValues { positions in
      table.columns.indices.map { positions.firstIndex(of: $0) }
    }
    let fields = records.map { ($0.values, indexes[$0.persistentIdentifier.entityName]) }
    for (position, column) in table.columns.enumerated() {
      let columnValues = fields.map { values, indexes in
        indexes?[position].map { values[$0] } ?? .null
      }
      let parameter = try self.parameter(columnValues, column, table)
      add(column.name, column.kind.arrayType, parameter, of: column.kind)
      guard column.isText else { continue }
      for (number, value) in columnValues.enumerated() {
        guard case .string(let text) = value, !ExactText.isComposed(text) else { continue }
        spellings[number].append(.init(column.label, .string(TextEscape.escaped(text))))
      }
    }
    if table.hasStrings {
      let texts = try spellings.map { $0.isEmpty ? nil : try JSONText.encoded(.composite($0)) }
      add("_spelling", ColumnKind.jsonArray, Parameter(array: texts))
    }
    let arrays = types.enumerated().map { "$\($0 + 1)::\($1)" }.joined(separator: ", ")
    let columns = names.indices.map { "c\($0)" }
    let rows = "FROM unnest(\(arrays)) AS r(\(columns.joined(separator: ", ")))"
    let assignments = zip(names, values).dropFirst().map { "\($0) = \($1)" }
    return Statement(
      replacing
        ? "UPDATE \(table.name) AS t SET \(assignments.joined(separator: ", ")) \(rows) "
          + "WHERE t._key = r.c0"
        : "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) "
          + "SELECT \(values.joined(separator: ", ")) \(rows)",
      parameters,
      isPrepared: true
    )
  }

  private func parameter(
    _ values: [StoreValue],
    _ column: EntityTable.Column,
    _ table: EntityTable
  ) throws -> Parameter {
    let reason: String
    do {
      if let parameter = try column.kind.parameter(values) { return parameter }
      reason = "the value does not fit the property"
    } catch let error as JSONText.NotStorable {
      reason = "the value cannot be stored: \(error.reason)"
    }
    throw DataStoreError(.invalidValue, reason, entity: table.root, property: column.property)
  }
}

extension StoreValue {
  /// Whether the value is a floating-point number that is not a number.
  fileprivate var isNaN: Bool { if case .double(let value) = self { value.isNaN } else { false } }
}

extension Catalog {
  /// Groups records by the topmost entities of their hierarchies.
  func byRoot(_ records: [DefaultSnapshot]) -> [(String, [DefaultSnapshot])] {
    let groups = Dictionary(grouping: records) { record in
      schema.entity(named: record.persistentIdentifier.entityName)?.root ?? ""
    }
    return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
