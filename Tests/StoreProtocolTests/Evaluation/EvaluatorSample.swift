import Foundation
import QueryEvaluation
import StoreProtocol

/// Two kinds of rows without any model, to ask the evaluator directly.
struct EvaluatorSample {
  static let scope = PersistentIdentifier.Scope(storeIdentifier: "S", entityName: "Item")
  static let schema = StoreSchema(entities: [
    StoreEntity(
      name: "Item",
      properties: [
        StoreProperty(name: "value", kind: .attribute(.codable), isOptional: true),
        StoreProperty(name: "other", kind: .attribute(.codable), isOptional: true),
        StoreProperty(
          name: "parent",
          kind: .toOne(StoreRelationship(destination: "Item")),
          isOptional: true
        ),
        StoreProperty(name: "children", kind: .toMany(StoreRelationship(destination: "Item"))),
      ]
    ),
    StoreEntity(
      name: "Special",
      superentity: "Item",
      properties: [
        StoreProperty(name: "extra", kind: .attribute(.string)),
        StoreProperty(
          name: "parent",
          kind: .toOne(StoreRelationship(destination: "Item")),
          isOptional: true
        ),
        StoreProperty(name: "value", kind: .attribute(.codable), isOptional: true),
        StoreProperty(name: "children", kind: .toMany(StoreRelationship(destination: "Item"))),
      ]
    ),
    StoreEntity(name: "Unrelated", properties: []),
  ])

  private(set) var rows: [SnapshotRow] = []

  static func identifier(_ key: Int64) -> PersistentIdentifier {
    PersistentIdentifier(scope: scope, key: .integer(key))
  }

  /// Adds a row with the next key.
  mutating func add(
    _ value: StoreValue = .null,
    _ other: StoreValue = .null,
    parent: Int64? = nil,
    children: [Int64] = []
  ) throws {
    guard let entity = Self.schema.entity(named: "Item") else { return }
    let record = DefaultSnapshot(
      persistentIdentifier: Self.identifier(Int64(rows.count + 1)),
      entity: entity,
      values: [
        value, other, parent.map { .identifier(Self.identifier($0)) } ?? .null,
        .identifiers(children.map(Self.identifier)),
      ]
    )
    rows.append(SnapshotRow(record, entity))
  }

  /// Adds a row of the entity that inherits.
  mutating func addSpecial(_ value: StoreValue, extra: String) {
    guard let entity = Self.schema.entity(named: "Special") else { return }
    let record = DefaultSnapshot(
      persistentIdentifier: Self.identifier(Int64(rows.count + 1)),
      entity: entity,
      values: [.string(extra), .null, value, .identifiers([])]
    )
    rows.append(SnapshotRow(record, entity))
  }

  var evaluator: QueryEvaluator<SnapshotRow> {
    let rows = rows
    return QueryEvaluator(
      schema: Self.schema,
      row: { identifier in rows.first { $0.identifier.key == identifier.key } },
      members: { row, index in
        guard case .identifiers(let list) = row.value(at: index) else { return [] }
        return list
      }
    )
  }

  /// The value of an expression for a row with two values.
  static func value(
    _ expression: QueryExpression,
    _ value: StoreValue = .null,
    _ other: StoreValue = .null
  ) throws -> StoreValue {
    var sample = EvaluatorSample()
    try sample.add(value, other)
    return try sample.evaluator.value(expression, for: sample.rows[0])
  }

  /// Whether a row with two values passes a test.
  static func holds(
    _ expression: QueryExpression,
    _ value: StoreValue = .null,
    _ other: StoreValue = .null
  ) throws -> Bool {
    var sample = EvaluatorSample()
    try sample.add(value, other)
    return try sample.evaluator.test(expression)(sample.rows[0])
  }

  /// The keys of the rows that pass a test, in the order of a result.
  func keys(_ query: StoreQuery) throws -> [Int64] {
    try evaluator.evaluate(query, over: rows).compactMap(\.identifier.integerKey)
  }
}

extension QueryExpression {
  static let value = QueryExpression.property(.element(0), "value")
  static let other = QueryExpression.property(.element(0), "other")
  static let parent = QueryExpression.property(.element(0), "parent")
  static let children = QueryExpression.property(.element(0), "children")
}
