import SQLTranslation
import StoreHelpers
import StoreProtocol

/// The maps and plans of a store's entities, computed once when the store is opened.
final class Catalog: Sendable {
  let map: SchemaMap
  let storeIdentifier: String
  private let scopes: [String: PersistentIdentifier.Scope]
  private let plans: [String: RowPlan]
  private let members: [String: [String: MemberPlan]]
  private let writePlans: [String: WritePlan]
  private let incoming: [String: [IncomingReference]]

  /// Whether any constraint has a reference among its values.
  let hasUniqueReferences: Bool

  /// Whether any table has an index of words.
  let hasSearchIndexes: Bool

  /// Whether the history keeps values of any deleted rows.
  let hasPreservedValues: Bool

  init(_ map: SchemaMap, storeIdentifier: String) throws {
    self.map = map
    self.storeIdentifier = storeIdentifier
    let scopes = Dictionary(
      firstOf: map.schema.entities.map(\.name).map {
        ($0, PersistentIdentifier.Scope(storeIdentifier: storeIdentifier, entityName: $0))
      }
    )
    self.scopes = scopes
    plans = try map.schema.entities.reduce(into: [:]) { plans, entity in
      let family = try map.schema.family(of: entity.name).map { try map.entity(named: $0.name) }
      plans[entity.name] = RowPlan(
        try map.entity(named: entity.name),
        family: family,
        scopes: scopes
      )
    }
    members = try Self.members(map, plans)
    writePlans = try Self.writePlans(map, scopes)
    incoming = try IncomingReference.all(in: map)
    hasUniqueReferences = writePlans.values.contains(where: \.hasUniqueReferences)
    hasSearchIndexes = !map.liveSearchIndexes.isEmpty
    let properties = map.schema.entities.flatMap(\.properties)
    hasPreservedValues = properties.contains(where: \.isPreserved)
  }

  private static func members(
    _ map: SchemaMap,
    _ plans: [String: RowPlan]
  ) throws -> [String: [String: MemberPlan]] {
    try map.schema.entities.reduce(into: [:]) { found, entity in
      let owners = try map.entity(named: entity.name)
      for property in entity.properties where property.isToMany {
        found[entity.name, default: [:]][property.name] =
          MemberPlan(property, of: owners, plans: plans)
      }
    }
  }

  private static func writePlans(
    _ map: SchemaMap,
    _ scopes: [String: PersistentIdentifier.Scope]
  ) throws -> [String: WritePlan] {
    var plans: [String: WritePlan] = [:]
    for table in map.tables {
      let constraints = try map.constraints(of: table)
      for entity in table.entities {
        plans[entity.name] = WritePlan(
          try map.entity(named: entity.name),
          constraints: constraints.filter {
            map.schema.isEntity(entity.name, kindOf: $0.entity)
          },
          scope: scopes[entity.name] ?? .init(storeIdentifier: nil, entityName: entity.name)
        )
      }
    }
    return plans
  }

  /// Returns the relationships that can refer to rows of a table.
  func references(to table: String) -> [IncomingReference] { incoming[table] ?? [] }

  /// Returns the shared scope of an entity's identifiers.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func scope(of entity: String) throws -> PersistentIdentifier.Scope {
    if let scope = scopes[entity] { return scope }
    throw SchemaMap.missing(entity)
  }

  /// Returns the identifier of a row of an entity.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func identifier(_ key: Int64, of entity: String) throws -> PersistentIdentifier {
    PersistentIdentifier(scope: try scope(of: entity), key: .integer(key))
  }

  /// Returns the identifier of a row whose key, and entity if the table has several, are the first
  /// columns of a statement.
  ///
  /// A row that names no entity is of the given one.
  func identifier(
    _ row: Statement,
    in table: TableMap,
    _ entity: String
  ) throws -> PersistentIdentifier {
    let own = table.entityColumn == nil ? nil : row.text(at: 1)
    return try identifier(row.integer(at: 0), of: own ?? entity)
  }

  /// Returns the plan for reading an entity's rows.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func plan(of entity: String) throws -> RowPlan {
    if let plan = plans[entity] { return plan }
    throw SchemaMap.missing(entity)
  }

  /// Returns the plan for a relationship, or `nil` if its related objects do not refer to their
  /// owner.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func members(of property: String, in entity: String) throws -> MemberPlan? {
    if let plan = members[entity]?[property] { return plan }
    guard plans[entity] != nil else { throw SchemaMap.missing(entity) }
    return nil
  }

  /// Returns the plan for writing an entity's rows.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func writePlan(of entity: String) throws -> WritePlan {
    if let plan = writePlans[entity] { return plan }
    throw SchemaMap.missing(entity)
  }
}
