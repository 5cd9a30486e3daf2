import PostgreSQLClient
import StoreProtocol

/// The table of an entity and of all that inherit from it.
///
/// | column | holds |
/// |---|---|
/// | `_key` | the key of the row |
/// | `_version` | the number of the save that changed the row last |
/// | `_entity` | the row's entity, where several share the table |
/// | `_u0`, `_u1` … | the values that are unique together, in the form in which they compare |
/// | all others | a property, under its name |
struct TableMap: Sendable {
  struct Column: Sendable {
    /// The quoted name.
    let name: String
    let kind: ColumnKind
    /// The property, for messages.
    let property: String
  }

  /// The quoted name, with the schema.
  let name: String
  /// The name of the topmost entity.
  let root: String
  /// Whether rows of several entities stand in the table.
  let isShared: Bool
  let columns: [Column]
  /// The columns of each entity's properties, `nil` for those that are not stored.
  let positions: [String: [Int?]]
  /// What is unique, in the order of the columns `_u0`, `_u1` ….
  let constraints: [StoreConstraint]

  init(root: StoreEntity, in schema: StoreSchema, _ databaseSchema: String) throws {
    name = "\(databaseSchema).\(try SQLIdentifier.quoted(root.name))"
    self.root = root.name
    let family = schema.family(of: root.name)
    isShared = family.count > 1
    var columns: [Column] = []
    var known: [String: Int] = [:]
    var names: Set<String> = []
    var positions: [String: [Int?]] = [:]
    for entity in family {
      positions[entity.name] = try entity.properties.map { property in
        if property.isEphemeral { return nil }
        let owner = Self.owner(of: property.name, entity, schema)
        let path = "\(owner).\(property.name)"
        if let position = known[path] { return position }
        let plain = try SQLIdentifier.quoted(property.name)
        // Siblings may have properties of the same name.
        let name = names.insert(plain).inserted ? plain : try SQLIdentifier.quoted(path)
        known[path] = columns.count
        columns.append(
          Column(name: name, kind: try ColumnKind(property, in: schema), property: property.name)
        )
        return columns.count - 1
      }
    }
    self.columns = columns
    self.positions = positions
    var constraints: [StoreConstraint] = []
    for constraint in family.flatMap(schema.constraints(of:))
    where !constraints.contains(constraint) {
      constraints.append(constraint)
    }
    self.constraints = constraints
  }

  /// The topmost entity that has the property.
  private static func owner(
    of property: String,
    _ entity: StoreEntity,
    _ schema: StoreSchema
  ) -> String {
    var owner = entity
    while let above = owner.superentity.flatMap(schema.entity(named:)),
      above.indexByName[property] != nil
    {
      owner = above
    }
    return owner.name
  }

  /// The columns that are read: the key, the version, the entity if several share the table, and those
  /// of the properties.
  var selected: String {
    (["_key", "_version"] + (isShared ? ["_entity"] : [])
      + columns.map { $0.kind.selected($0.name) }).joined(separator: ", ")
  }

  /// The statements that create the table.
  var definitions: [String] {
    let properties = columns.map { "\($0.name) \($0.kind.type)" }
    let unique = constraints.indices.map { "_u\($0) bytea" }
    let fixed = ["_key int8 PRIMARY KEY", "_version int8 NOT NULL"]
    let entity = isShared ? ["_entity text COLLATE \"C\" NOT NULL"] : []
    let list = (fixed + entity + unique + properties).joined(separator: ", ")
    return ["CREATE TABLE \(name) (\(list))"]
      + constraints.indices.map { "CREATE UNIQUE INDEX ON \(name) (sha256(_u\($0)))" }
      + columns.compactMap { column in
        switch column.kind {
        case .reference: "CREATE INDEX ON \(name) (\(column.name))"
        case .list: "CREATE INDEX ON \(name) USING gin (\(column.name))"
        default: nil
        }
      }
  }
}

/// The names of tables and columns.
enum SQLIdentifier {
  /// The server cuts names off after 63 bytes, with which two could become one.
  private static let limit = 63

  /// Returns a quoted name of the schema as a name that differs from all others and from the store's own.
  static func quoted(_ name: String) throws -> String {
    let name = name.hasPrefix("_") ? "_" + name : name
    guard name.utf8.count > limit else { return try SQLName.quoted(name) }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var start = name
    let suffix = "~" + String(hash, radix: 36)
    while start.utf8.count + suffix.utf8.count > limit { start.removeLast() }
    return try SQLName.quoted(start + suffix)
  }
}
