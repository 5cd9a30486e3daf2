import QueryEvaluation
import StoreProtocol

/// The rows of a model of the contract, with the evaluator that queries them.
struct ReferenceRows {
  let rows: [SnapshotRow]
  private let evaluator: QueryEvaluator<SnapshotRow>
  private let byKey: [PersistentIdentifier.Key: SnapshotRow]
  private let schema: StoreSchema

  init(_ model: ContractModel) {
    rows = model.rows.sorted { $0.key < $1.key }.map { _, row in
      let record = DefaultSnapshot(
        persistentIdentifier: row.identifier,
        entity: row.entity,
        values: row.entity.properties.map { row.values[$0.name] ?? .null }
      )
      return SnapshotRow(record, row.entity)
    }
    let byKey = Dictionary(lastOf: rows.map { ($0.identifier.key, $0) })
    (self.byKey, schema) = (byKey, model.schema)
    evaluator = QueryEvaluator(
      schema: schema,
      row: { byKey[$0.key] },
      members: { row, index in
        model.members(row.entity.properties[index], of: row.identifier.integerKey ?? 0)
      }
    )
  }

  func row(_ number: Int64) -> SnapshotRow? { byKey[.integer(number)] }

  func evaluate(_ query: StoreQuery) throws -> [Int64] {
    try evaluator.evaluate(query, over: rows).map { $0.identifier.integerKey ?? 0 }
  }

  func evaluate(_ selection: StoreSelection) throws -> [[StoreValue]] {
    var result: [[StoreValue]] = []
    try evaluator.evaluate(selection, over: rows) { result.append($0) }
    return result
  }

  /// Returns whether a query's filter matches some rows and not others.
  func tellsApart(_ query: StoreQuery) -> Bool {
    guard let filter = query.filter, let test = try? evaluator.test(filter) else { return false }
    let asked = rows.filter { schema.isEntity($0.entity.name, kindOf: query.entity) }
    let matching = asked.filter { (try? test($0)) ?? false }.count
    return matching > 0 && matching < asked.count
  }
}
