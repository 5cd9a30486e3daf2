import QueryEvaluation
import StoreProtocol

/// The expected rows after some deletions, with the evaluator that queries them.
struct ReferenceRows {
  /// The remaining rows.
  let rows: [SnapshotRow]
  let evaluator: QueryEvaluator<SnapshotRow>
  private let byKey: [PersistentIdentifier.Key: SnapshotRow]

  init(_ all: [DifferentialRow], deleted: Set<Int64>) throws {
    let left = all.filter { !deleted.contains($0.number) }
    let byNumber = Dictionary(lastOf: left.map { ($0.number, $0) })
    rows = try left.map { row in
      let entity = try Sample.entity(row.entity)
      let values = entity.properties.map { property in
        row.value(of: property).replacingIdentifiers { found in
          found.integerKey.flatMap { byNumber[$0]?.identifier }
        }
      }
      let record = DefaultSnapshot(
        persistentIdentifier: row.identifier,
        entity: entity,
        values: values
      )
      return SnapshotRow(record, entity)
    }
    let byKey = Dictionary(lastOf: rows.map { ($0.identifier.key, $0) })
    self.byKey = byKey
    let members = Self.members(rows)
    evaluator = QueryEvaluator(
      schema: Sample.schema.storeSchema,
      row: { byKey[$0.key] },
      members: { members[ListKey(row: $0.identifier.key, property: $1)] ?? [] }
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
    let family = Sample.schema.storeSchema.family(of: query.entity).map(\.name)
    let asked = rows.filter { family.contains($0.entity.name) }
    let matching = asked.filter { (try? test($0)) ?? false }.count
    return matching > 0 && matching < asked.count
  }

  private struct ListKey: Hashable {
    let row: PersistentIdentifier.Key
    let property: Int
  }

  private static func members(_ rows: [SnapshotRow]) -> [ListKey: [PersistentIdentifier]] {
    var found: [ListKey: [PersistentIdentifier]] = [:]
    for row in rows {
      for (index, property) in row.entity.properties.enumerated() where property.isToMany {
        let listed = row.value(at: index).identifiers
        let key = ListKey(row: row.identifier.key, property: index)
        guard property.isDerivedToMany, let relationship = property.relationship else {
          found[key] = listed
          continue
        }
        found[key] = MemberOrder.ordered(
          belonging(to: row, by: relationship, rows),
          by: listed
        )
      }
    }
    return found
  }

  /// Returns the rows whose own reference names a row as their owner.
  private static func belonging(
    to owner: SnapshotRow,
    by relationship: StoreRelationship,
    _ rows: [SnapshotRow]
  ) -> [PersistentIdentifier] {
    rows.filter { row in
      guard Sample.schema.storeSchema.isEntity(row.entity.name, kindOf: relationship.destination),
        let index = relationship.inverse.flatMap({ row.entity.indexByName[$0] }),
        case .identifier(let named) = row.value(at: index)
      else { return false }
      return named.key == owner.identifier.key
    }
    .map(\.identifier)
  }
}
