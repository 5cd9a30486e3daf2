import Foundation
import QueryEvaluation
import SQLiteStore
import StoreProtocol

/// The results of the evaluator over all rows of a store.
struct Reference {
  private let rows: [SnapshotRow]
  private let evaluator: QueryEvaluator<SnapshotRow>

  init(_ store: SQLiteStore) throws {
    let schema = store.schema.storeSchema
    let rows = try schema.entities.flatMap { entity in
      try store.fetch(StoreQuery(entity: entity.name, includesSubentities: false)).map {
        SnapshotRow($0, entity)
      }
    }
    let byKey = Dictionary(
      rows.map { ($0.identifier.key, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var members: [String: [PersistentIdentifier: [PersistentIdentifier]]] = [:]
    for entity in schema.entities {
      let owners = rows.filter { $0.entity.name == entity.name }.map(\.identifier)
      for property in entity.properties where property.isToMany {
        members["\(entity.name).\(property.name)"] =
          try store.members(of: property.name, in: entity.name, owners: owners)
      }
    }
    self.rows = rows
    evaluator = QueryEvaluator(
      schema: schema,
      row: { byKey[$0.key] },
      members: { [members] row, index in
        let name = "\(row.entity.name).\(row.entity.properties[index].name)"
        return members[name]?[row.identifier] ?? []
      }
    )
  }

  func evaluate(_ query: StoreQuery) throws -> [PersistentIdentifier] {
    try evaluator.evaluate(query, over: rows).map(\.identifier)
  }

  func evaluate(_ selection: StoreSelection) throws -> [[StoreValue]] {
    var found: [[StoreValue]] = []
    try evaluator.evaluate(selection, over: rows) { found.append($0) }
    return found
  }
}

extension SQLiteStore {
  /// A store in memory with random rows of every entity, tied to each other.
  static func filled(
    _ random: inout RandomExpressions,
    log: StatementLog? = nil
  ) throws -> SQLiteStore {
    let store = try SQLiteStore.inMemory(log: log)
    var objects: [String: [PersistentIdentifier]] = [:]
    let plan: [(StoreEntity, Int)] = [
      (SampleSchema.tag, 5), (SampleSchema.trip, 6), (SampleSchema.businessTrip, 5),
      (SampleSchema.personalTrip, 3), (SampleSchema.item, 14), (SampleSchema.values, 25),
    ]
    for (entity, count) in plan {
      for _ in 0..<count {
        let record = random.record(entity, objects)
        do {
          objects[entity.root, default: []] += try store.insert([record])
        } catch DataStoreError.uniqueConflict {
          // It has the name and start of a trip of another class.
        }
      }
    }
    for tag in objects["Tag"] ?? [] {
      let trips = (objects["Trip"] ?? []).filter { _ in random.chance(40) }
      let update = StoreUpdate.change(tag, SampleSchema.tag, ["trips": .identifiers(trips)])
      _ = try store.apply(StoreChanges(updated: [update]))
    }
    return store
  }
}
