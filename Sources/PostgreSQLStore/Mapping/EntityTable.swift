import PostgreSQLClient
import SQLTranslation
import StoreProtocol

/// The table of an entity and of all entities that inherit from it.
///
/// | column | content |
/// |---|---|
/// | `_key` | the key of the row |
/// | `_version` | the number of the save that last changed the row |
/// | `_entity` | the row's entity, if several share the table |
/// | `_spelling` | the strings that are not in composed form, by column, if the table has strings |
/// | `_u0`, `_u1` … | the values that are unique together, in the form in which they compare |
/// | all others | a property, under its name; strings in composed form |
final class EntityTable: Sendable {
  struct Column: Sendable {
    /// The quoted name.
    let name: String
    let kind: ColumnKind
    /// The property, for messages.
    let property: String
    /// The expression for the entities of the referenced rows, or `nil` if their table has only
    /// one.
    let entity: String?

    /// The name in `_spelling`.
    var label: String { String(name.unicodeScalars.dropFirst().dropLast()) }

    /// Whether the column has strings.
    var isText: Bool { if case .text = kind { true } else { false } }
  }

  /// The quoted name, with the schema.
  let name: String
  /// The topmost entity.
  let entity: StoreEntity
  /// Whether the table contains rows of several entities.
  let isShared: Bool
  let columns: [Column]
  /// The indexes of the columns of each entity's properties.
  let positions: [String: [Int]]
  /// The selection of all columns.
  let selection: Selection
  /// The uniqueness constraints, in the order of the columns `_u0`, `_u1` ….
  let constraints: [StoreConstraint]
  /// The indexes of the schema, after the name of the table.
  private let indexes: [String]

  init(root: StoreEntity, in schema: StoreSchema, _ databaseSchema: String) throws {
    let table = "\(databaseSchema).\(try SQLIdentifier.quoted(root.name))"
    name = table
    entity = root
    let family = schema.family(of: root.name)
    isShared = family.count > 1
    var columns: [Column] = []
    var cached: [String: Int] = [:]
    var names: Set<String> = []
    var positions: [String: [Int]] = [:]
    for entity in family {
      positions[entity.name] = try entity.properties.map { property in
        let path = "\(schema.declarer(of: property.name, in: entity).name).\(property.name)"
        if let position = cached[path] { return position }
        let plain = try SQLIdentifier.quoted(property.name)
        // Siblings may have properties of the same name.
        let name = names.insert(plain).inserted ? plain : try SQLIdentifier.quoted(path)
        cached[path] = columns.count
        let kind = try ColumnKind(property, in: schema)
        columns.append(
          Column(
            name: name,
            kind: kind,
            property: property.name,
            entity: try kind.entity(of: "\(table).\(name)", in: schema, databaseSchema)
          )
        )
        return columns.count - 1
      }
    }
    self.columns = columns
    selection = Selection(of: columns, positions, isShared)
    self.positions = positions
    constraints = family.flatMap(schema.constraints(of:)).withoutRepeats
    indexes =
      family.flatMap { entity in
        entity.indices.compactMap { names in
          let indexed = names.map {
            entity.indexByName[$0].flatMap { positions[entity.name]?[$0] }
          }
          return Column.index(indexed.prefix { $0 != nil }.compactMap { $0.map { columns[$0] } })
        }
      }
      .withoutRepeats
  }

  /// The columns of a row's identifier.
  var identifier: String { isShared ? "_key, _entity" : "_key" }

  /// The name of the topmost entity.
  var root: String { entity.name }

  /// Whether some column has strings.
  var hasStrings: Bool { columns.contains(where: \.isText) }

  /// Returns whether rows of an entity refer to others.
  func hasRelationships(of entity: String) -> Bool {
    (positions[entity] ?? []).contains { columns[$0].kind.destination != nil }
  }

  /// Whether a constraint contains a relationship.
  var hasUniqueReferences: Bool {
    columns.contains { column in
      column.kind.destination != nil
        && constraints.contains { $0.properties.contains(column.property) }
    }
  }

  /// Returns a selection of some properties and all relationships, or of all columns.
  func selection(of properties: [String]?) -> Selection {
    guard let properties else { return selection }
    return Selection(of: columns, positions, isShared) { column in
      column.kind.destination != nil || properties.contains(column.property)
    }
  }

  /// Returns the statements that create the table on a server with some features.
  func definitions(_ features: ServerFeatures) -> [String] {
    let properties = columns.map { "\($0.name) \($0.kind.type)" }
    let unique = constraints.indices.map { "_u\($0) bytea" }
    let fixed = ["_key int8 PRIMARY KEY", "_version int8 NOT NULL"]
    let entity = isShared ? ["_entity text COLLATE \"C\" NOT NULL"] : []
    let spelling = hasStrings ? ["_spelling json"] : []
    let list = (fixed + entity + spelling + unique + properties).joined(separator: ", ")
    return ["CREATE TABLE \(name) (\(list))"]
      + constraints.indices.map { "CREATE UNIQUE INDEX ON \(name) (sha256(_u\($0)))" }
      + columns.compactMap { column in
        switch column.kind {
        case .reference: "CREATE INDEX ON \(name) (\(column.name))"
        case .list: "CREATE INDEX ON \(name) USING gin (\(column.name))"
        default: nil
        }
      }
      + indexes.filter { features.contains(.indexMethods) || !$0.hasPrefix("USING") }
      .map { "CREATE INDEX ON \(name) \($0)" }
  }
}

extension EntityTable {
  /// The columns that a statement reads.
  ///
  /// They are the key, the version, the entity if several share the table, the spelling if there are
  /// strings, the properties, and the entities that these refer to.
  final class Selection: Sendable {
    /// The list of columns.
    let sql: String
    /// The list of columns with their types, and the identifiers of the types.
    let typed: String
    let types: [UInt32]
    /// The index of the spelling in the result.
    let spelling: Int?
    /// The fields of each entity's properties.
    let fields: [String: [Field]]
    /// The index of the entities that each column refers to.
    let entities: [Int?]

    /// A property in the result.
    struct Field: Sendable {
      /// The index among the columns of the table.
      let position: Int
      /// The index in the result, or `nil` if the property is not read.
      let index: Int?
      let kind: ColumnKind.Plain
    }

    init(
      of columns: [Column],
      _ positions: [String: [Int]],
      _ isShared: Bool,
      where isRead: (Column) -> Bool = { _ in true }
    ) {
      var list = ["_key", "_version"] + (isShared ? ["_entity"] : [])
      var results: [ColumnKind.ResultType] = [.integer, .integer] + (isShared ? [.text] : [])
      func add(_ expression: String, _ result: ColumnKind.ResultType) -> Int {
        list.append(expression)
        results.append(result)
        return list.count - 1
      }
      let hasStrings = columns.contains { $0.isText && isRead($0) }
      spelling = hasStrings ? add("_spelling::text", .text) : nil
      let indexes = columns.map { column in
        isRead(column) ? add(column.kind.selected(column.name), column.kind.result) : nil
      }
      fields = positions.mapValues { positions in
        positions.map { position in
          let kind = columns[position].kind.plain
          return Field(position: position, index: indexes[position], kind: kind)
        }
      }
      entities = columns.map { column in
        guard isRead(column), let entity = column.entity else { return nil }
        if case .list = column.kind { return add(entity, .texts) }
        return add(entity, .text)
      }
      sql = list.joined(separator: ", ")
      typed = zip(list, results).map { "CAST(\($0) AS \($1.name))" }.joined(separator: ", ")
      types = results.map(\.typeID)
    }
  }
}

extension EntityTable.Column {
  /// Returns the definition of an index, or `nil` if the server has none for the first column.
  ///
  /// A B-tree has entries of at most 2,704 bytes, so it ends before the first string or data. An
  /// index that begins with one has only this column, in a form for any length.
  fileprivate static func index(_ columns: [Self]) -> String? {
    guard let first = columns.first else { return nil }
    switch first.kind {
    case .text: return "USING spgist (\(first.name))"
    case .data: return "USING hash (\(first.name))"
    case .json, .list: return nil
    default:
      let sorted = columns.prefix { column in
        switch column.kind {
        case .text, .data, .json, .list: false
        default: true
        }
      }
      // References have an index anyway.
      if sorted.count == 1, case .reference = first.kind { return nil }
      return "(\(sorted.map(\.name).joined(separator: ", ")))"
    }
  }
}

extension ColumnKind {
  /// Returns the expression for the entities of a column's referenced rows, or `nil` if there is
  /// one entity.
  fileprivate func entity(
    of column: String,
    in schema: StoreSchema,
    _ space: String
  ) throws -> String? {
    guard let destination else { return nil }
    guard schema.family(of: destination.root).count > 1 else { return nil }
    let table = "\(space).\(try SQLIdentifier.quoted(destination.root)) AS e"
    guard case .list = self else {
      return "(SELECT e._entity FROM \(table) WHERE e._key = \(column))"
    }
    let members = "unnest(\(column)) WITH ORDINALITY AS l(member, position)"
    return "ARRAY(SELECT e._entity FROM \(members) LEFT JOIN \(table) ON e._key = l.member "
      + "ORDER BY l.position)"
  }
}

/// The names of tables and columns.
enum SQLIdentifier {
  /// The length in bytes to which the server truncates names; two truncated names can be equal.
  private static let limit = 63

  /// Returns a quoted name of the schema, distinct from all others and from the store's own.
  static func quoted(_ name: String) throws -> String {
    try SQLName.quoted(fitting(name.hasPrefix("_") ? "_" + name : name))
  }

  /// Returns a name that the server does not truncate.
  static func fitting(_ name: String) -> String {
    guard name.utf8.count > limit else { return name }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var start = name
    let suffix = "~" + String(hash, radix: 36)
    while start.utf8.count + suffix.utf8.count > limit { start.removeLast() }
    return start + suffix
  }
}
