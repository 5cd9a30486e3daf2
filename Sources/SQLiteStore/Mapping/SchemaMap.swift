import SQLTranslation
import StoreProtocol

/// Where every entity of a schema is stored: the mapping that Documentation/SQLiteFormat.md tells.
///
/// Invariants:
/// 1. A table holds a whole hierarchy; its name is that of the root entity.
/// 2. A property of a subentity has the property's name as its column, unless another entity of
///    the hierarchy declares a property of that name (case of ASCII letters aside) as well: then
///    the columns of all but the root's are called `Entity.property`.
/// 3. No two names that SQLite would take for one are ever used.
final class SchemaMap: Sendable {
  let schema: StoreSchema
  let tables: [TableMap]
  let joins: [JoinMap]

  private let byEntity: [String: EntityMap]
  private let byTable: [String: TableMap]

  /// Works out the mapping.
  ///
  /// - Parameters:
  ///   - schema: What is stored.
  ///   - live: The names of the indexes of words that the file has.
  ///   - unversioned: The names of the tables that have no column for versions, in a file of an
  ///     earlier program that cannot be changed.
  ///   - fileMarks: The marks of columns that hold references to files.
  /// - Throws: ``DataStoreError/invalidConfiguration`` for names that cannot be used, and for
  ///   entities that do not fit together.
  init(
    _ schema: StoreSchema,
    searchIndexes live: Set<String> = [],
    unversioned: Set<String> = [],
    fileMarks: Set<String> = []
  ) throws {
    self.schema = schema
    try schema.validate()
    do {
      var builder = SchemaMapBuilder(
        schema: schema,
        searchIndexes: live,
        unversioned: unversioned,
        fileMarks: fileMarks
      )
      try builder.build()
      tables = builder.tables
      joins = builder.joins
      byEntity = builder.entities
    } catch let refusal as SQLIdentifier.Refusal {
      throw DataStoreError(.invalidConfiguration, refusal.sentence)
    }
    byTable = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The map of an entity.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` when the schema lacks the entity.
  func entity(named name: String) throws -> EntityMap {
    guard let entity = byEntity[name] else {
      throw DataStoreError(
        .schemaMismatch,
        "the schema of the store has no such entity",
        entity: name
      )
    }
    return entity
  }

  /// Whether rows may name files.
  var hasFileColumns: Bool { tables.contains { !$0.fileColumns.isEmpty } }

  func table(named name: String) -> TableMap? {
    byTable[name]
  }
}

extension SQLIdentifier.Refusal {
  /// The refusal as a sentence for the error of the contract.
  var sentence: String {
    switch self {
    case .empty: "a name of the schema is empty"
    case .containsNull: "a name of the schema holds a null character"
    case .tooLong(let count):
      "a name of the schema has \(count) bytes; \(SQLIdentifier.maximumLength) are possible"
    case .reserved(let name): "the name \(name) is reserved by SQLite; use another"
    case .collision(let first, let second):
      "the names \(first) and \(second) are the same to SQLite; change one"
    }
  }
}
