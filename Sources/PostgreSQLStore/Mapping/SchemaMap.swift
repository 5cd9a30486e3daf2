import Foundation
import PostgreSQLClient
import RowChanges
import SQLTranslation
import StoreProtocol
import Synchronization

/// The mapping of a schema to tables, computed once for all stores of the process that have it.
final class SchemaMap: Sendable {
  /// The catalog of a store without an identifier.
  let catalog: Catalog
  /// The tables by the names of their topmost entities.
  let tables: [String: EntityTable]
  /// The entities in the form that translations use.
  let entities: [String: EntityMap]

  /// Maps a schema to tables, whose names contain ``Statement/schema``.
  init(_ schema: StoreSchema) throws {
    catalog = Catalog(schema, storeIdentifier: "")
    let roots = schema.entities.filter { $0.root == $0.name }
    let tables = try roots.map { try EntityTable(root: $0, in: schema, Statement.schema) }
    self.tables = Dictionary(uniqueKeysWithValues: tables.map { ($0.root, $0) })
    entities = Dictionary(
      uniqueKeysWithValues: tables.flatMap {
        $0.entityMaps(in: schema).map { ($0.entity.name, $0) }
      }
    )
  }

  var schema: StoreSchema { catalog.schema }

  /// The tables in the order of their names.
  var sortedTables: [EntityTable] { tables.values.sorted { $0.root < $1.root } }

  /// Whether any entity has unique values.
  var hasConstraints: Bool { tables.values.contains { !$0.constraints.isEmpty } }

  /// The quoted names of the tables in a schema of the database, in the order of their names.
  func tableNames(in space: String) -> [String] {
    sortedTables.map { Statement($0.name).inSchema(space).sql }
  }
}

extension SchemaMap {
  private static let cache = Mutex<[String: WeakMap]>([:])

  /// Returns the mapping of a stored schema, which is kept as long as a store uses it.
  ///
  /// - Parameters:
  ///   - text: The stored schema.
  ///   - expected: The schema of the program, which the mapping retains if it is equal.
  /// - Returns: The mapping.
  /// - Throws: Errors of decoding, and ``DataStoreError`` for a schema that contradicts itself.
  static func shared(_ text: String, expected: StoreSchema?) throws -> SchemaMap {
    if let map = cache.withLock({ $0[text]?.map }) { return map }
    let stored = try JSONDecoder().decode(StoreSchema.self, from: Data(text.utf8))
    let made = try SchemaMap(expected.flatMap { $0 == stored ? $0 : nil } ?? stored)
    return cache.withLock { cache in
      // Another thread may have been faster.
      if let map = cache[text]?.map { return map }
      cache = cache.filter { $0.value.map != nil }
      cache[text] = WeakMap(map: made)
      return made
    }
  }
}

private struct WeakMap {
  weak var map: SchemaMap?
}

extension EntityTable {
  /// Returns the table's entities in the form that translations use.
  fileprivate func entityMaps(in schema: StoreSchema) -> [EntityMap] {
    let family = schema.family(of: root)
    // Translations treat the columns of lists whose elements do not refer to their owner as join
    // tables.
    var content: [Int: ColumnMap.Content] = [:]
    for entity in family {
      for (property, position) in zip(entity.properties, positions[entity.name] ?? []) {
        switch columns[position].kind {
        case .reference(let destination):
          content[position] = .reference(table: destination.root, entity: destination.name)
        case .list(let destination): content[position] = .order(entity: destination.name)
        default: content[position] = .value(property.attributeType ?? .codable)
        }
      }
    }
    let table = TableMap(
      name: root,
      sql: name,
      key: ("_key", "_key"),
      entity: isShared ? ("_entity", "_entity") : nil,
      version: ("_version", "_version"),
      columns: columns.enumerated().map { position, column in
        ColumnMap(
          name: column.label,
          sql: column.name,
          content: content[position] ?? .value(.codable)
        )
      },
      entities: family
    )
    return family.map { entity in
      let storage = zip(entity.properties, positions[entity.name] ?? []).map { property, position in
        guard property.isToMany, !property.isDerivedToMany else {
          return EntityMap.PropertyStorage.column(position)
        }
        return .join(
          join(columns[position], property.name, property.relationship?.destination ?? "")
        )
      }
      return EntityMap(
        entity: entity,
        table: table,
        storage: storage,
        family: schema.family(of: entity.name).map { SQLText.literal($0.name) }
      )
    }
  }

  /// Returns a list column as a join table of owners, related objects and positions.
  private func join(_ column: Column, _ property: String, _ destination: String) -> JoinMap {
    let list = "unnest(o.\(column.name)) WITH ORDINALITY AS l(member, position)"
    return JoinMap(
      name: "\(root).\(column.label)",
      sql: "(SELECT o._key AS owner, l.member, l.position FROM \(name) AS o CROSS JOIN \(list))",
      entity: root,
      property: property,
      ownerTable: root,
      memberTable: destination,
      memberEntity: destination
    )
  }
}
