import CoreDataFiles
import StoreProtocol

/// A model inferred from the names and contents of a store's tables, for a store without one.
///
/// Entities and their hierarchy are certain. Names of properties are in lower case unless an index
/// contains them. Types are those of the columns. All properties are optional and are declared by
/// the root.
struct NamedModel {
  private let reader: SourceReader
  private let tables: SourceTables
  private var indexNames: [String] = []
  private var entities: [String: ManagedModel.Entity] = [:]

  /// Infers the model of a store.
  ///
  /// - Throws: Errors of reading the store.
  static func model(_ reader: SourceReader, _ tables: SourceTables) throws -> ManagedModel {
    var guess = NamedModel(reader: reader, tables: tables)
    guess.indexNames = try reader.rows("SELECT name FROM sqlite_schema WHERE type = 'index'") {
      $0.string(0) ?? ""
    }
    for entity in tables.entities {
      var result = ManagedModel.Entity(name: entity.name)
      result.superentity = tables.name(of: entity.superentity)
      guess.entities[entity.name] = result
    }
    for entity in tables.entities where entity.superentity == 0 { try guess.readTable(of: entity) }
    for table in tables.columns.keys.sorted() where table.hasPrefix("Z_") {
      guess.readPairs(table)
    }
    var model = ManagedModel(entities: Array(guess.entities.values))
    do {
      try model.check()
    } catch {
      throw DataStoreError(
        .invalidConfiguration,
        "the store contains no model, and none can be derived from its tables; set one with "
          + "'model' "
          + "(.mom, .momd, .xcdatamodel or .xcdatamodeld)",
        file: reader.path,
        cause: error
      )
    }
    return model
  }

  private mutating func readTable(of entity: SourceTables.Entity) throws {
    let table = "Z" + entity.name.uppercased()
    let sql = "PRAGMA table_info(\(SourceReader.quoted(table)))"
    let columns = try reader.rows(sql) { ($0.string(1) ?? "", $0.string(2) ?? "") }
    let names = Set(columns.map(\.0))
    for (column, type) in columns where column.hasPrefix("Z") && !column.hasPrefix("Z_") {
      let (number, rest) = Self.parts(of: column)
      guard let number else {
        try addProperty(column, type, names, of: entity, in: table)
        continue
      }
      // The number is that of the target's entity, or of the owner of a to-many relationship.
      if rest.hasPrefix("_") { continue }
      guard let owner = tables.name(of: number), names.contains("Z_ENT") else { continue }
      addRelationship(String(rest), from: owner, to: entity.name, inverse: nil)
    }
  }

  private mutating func addProperty(
    _ column: String,
    _ type: String,
    _ columns: Set<String>,
    of entity: SourceTables.Entity,
    in table: String
  ) throws {
    let name = name(of: column.dropFirst())
    if type == "INTEGER",
      let destination = try destination(of: column, columns, entity, in: table)
    {
      var relationship = ManagedModel.Relationship(name: name, destination: destination)
      relationship.isOptional = true
      relationship.maximumCount = 1
      entities[entity.name]?.relationships.append(relationship)
      return
    }
    let attribute: ManagedModel.AttributeType =
      switch type {
      case "INTEGER": .integer64
      case "FLOAT": .double
      case "TIMESTAMP": .date
      case "DECIMAL": .decimal
      case "VARCHAR": .string
      default: try bytesType(column, in: table)
      }
    var result = ManagedModel.Attribute(name: name, type: attribute)
    result.isOptional = true
    entities[entity.name]?.attributes.append(result)
  }

  /// Returns the type of a column of bytes, determined from all of its values.
  private func bytesType(
    _ column: String,
    in table: String
  ) throws -> ManagedModel.AttributeType {
    let name = SourceReader.quoted(column)
    let sql =
      "SELECT count(*), total(length(\(name)) = 16), total(substr(\(name), 1, 6) = x'62706C697374') "
      + "FROM \(SourceReader.quoted(table)) WHERE \(name) IS NOT NULL"
    let counts = try reader.rows(sql) { [$0.cell(0), $0.cell(1), $0.cell(2)].map(\.number) }
    guard let found = counts.first, found[0] > 0 else { return .binary }
    return found[1] == found[0] ? .uuid : found[2] == found[0] ? .transformable : .binary
  }

  /// Returns the entity that the keys of a column refer to, or `nil` if they seem not to be keys.
  private func destination(
    of column: String,
    _ columns: Set<String>,
    _ entity: SourceTables.Entity,
    in table: String
  ) throws -> String? {
    let property = column.dropFirst()
    // The entity of the target is stored if it may be one of several.
    for root in tables.entities where columns.contains("Z\(root.number)_\(property)") {
      return root.name
    }
    guard indexNames.contains("\(table)_\(column)_INDEX") else { return nil }
    let isOwn = columns.contains("Z_FOK_\(property)")
    let candidates = tables.entities.filter { candidate in
      candidate.superentity == 0
        && (property.hasSuffix(candidate.name.uppercased()) || (isOwn && candidate == entity))
    }
    return try candidates.first { try allExist(column, of: table, in: $0.name) }?.name
  }

  /// Returns whether all keys of a column are those of rows of an entity.
  private func allExist(_ column: String, of table: String, in target: String) throws -> Bool {
    let name = SourceReader.quoted(column)
    let targets = "SELECT Z_PK FROM \(SourceReader.quoted("Z" + target.uppercased()))"
    let sql =
      "SELECT 1 FROM \(SourceReader.quoted(table)) WHERE \(name) IS NOT NULL "
      + "AND \(name) NOT IN (\(targets)) LIMIT 1"
    return try reader.rows(sql) { $0.integer(0) }.isEmpty
  }

  /// Reads the two ends of a many-to-many relationship from the columns of its table.
  private mutating func readPairs(_ table: String) {
    let columns = (tables.columns[table] ?? []).filter { !$0.hasPrefix("Z_FOK_") }
    guard columns.count == 2, Self.parts(of: table, prefix: "Z_").number != nil else { return }
    let ends = columns.filter { $0 != JoinTables.reflexive }
      .map { Self.parts(of: $0, prefix: "Z_") }
    guard let first = ends.first?.number.flatMap(tables.name(of:)),
      let second = ends.last?.number.flatMap(tables.name(of:))
    else { return }
    // A column has the keys of its relationship's destination.
    let names = ends.map { name(of: $0.rest) }
    guard ends.count == 2 else {
      return addRelationship(String(ends[0].rest), from: first, to: first, inverse: names[0])
    }
    guard names[0] != names[1] else { return }
    addRelationship(String(ends[0].rest), from: second, to: first, inverse: names[1])
    addRelationship(String(ends[1].rest), from: first, to: second, inverse: names[0])
  }

  private mutating func addRelationship(
    _ name: String,
    from owner: String,
    to destination: String,
    inverse: String?
  ) {
    var relationship = ManagedModel.Relationship(
      name: self.name(of: name[...]),
      destination: destination
    )
    relationship.isToMany = true
    relationship.isOrdered = true
    relationship.inverse = inverse
    entities[owner]?.relationships.append(relationship)
  }

  /// Returns the name of a property as an index contains it, or in lower case.
  private func name(of upper: Substring) -> String {
    for index in indexNames {
      guard let range = index.firstRange(of: "_UNIQUE_") else { continue }
      let name = index[range.upperBound...]
      if name.uppercased() == upper { return String(name) }
    }
    return upper.lowercased()
  }

  /// Returns the number after the prefix of a name, and the rest.
  private static func parts(
    of name: String,
    prefix: String = "Z"
  ) -> (number: Int64?, rest: Substring) {
    let rest = name.dropFirst(prefix.count)
    let digits = rest.prefix(while: \.isNumber)
    return (name.hasPrefix(prefix) ? Int64(digits) : nil, rest.dropFirst(digits.count))
  }
}

extension SourceCell {
  fileprivate var number: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: 0
    }
  }
}
