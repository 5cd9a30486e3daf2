import SQLTranslation
import StoreProtocol

/// The storage of every entity of a schema, as Documentation/SQLiteFormat.md describes it.
///
/// Invariants:
/// 1. A table holds a whole hierarchy and has the name of the root entity.
/// 2. The column of a subentity's property has the property's name. If another entity of the
/// hierarchy declares a property of that name (ignoring the case of ASCII letters), the columns of
/// all but the root's are named `Entity.property`. If one entity declares several such properties,
/// `^` marks the capital letters in their columns.
/// 3. No two names are the same to SQLite.
final class SchemaMap: Sendable {
  let schema: StoreSchema
  let tables: [TableMap]
  let joins: [JoinMap]

  private let byEntity: [String: EntityMap]
  private let byTable: [String: TableMap]

  /// Creates the mapping of a schema.
  ///
  /// - Parameters:
  ///   - schema: The schema of the stored entities.
  ///   - live: The names of the word indexes that the file has.
  ///   - unversioned: The names of the tables without a version column, in a read-only file of an
  ///     earlier version of the library.
  ///   - fileMarks: The marks of columns that hold references to files.
  /// - Throws: ``DataStoreError/invalidConfiguration`` for names that cannot be used, and for
  ///   entities that are inconsistent.
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
    byTable = Dictionary(firstOf: tables.map { ($0.name, $0) })
  }

  /// Returns the map of an entity.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` if the schema lacks the entity.
  func entity(named name: String) throws -> EntityMap {
    guard let entity = byEntity[name] else { throw Self.missing(name) }
    return entity
  }

  /// Returns the error for an entity that the schema lacks.
  static func missing(_ entity: String) -> DataStoreError {
    DataStoreError(.schemaMismatch, "the schema of the store has no such entity", entity: entity)
  }

  /// Whether rows may refer to files.
  var hasFileColumns: Bool { tables.contains { !$0.fileColumns.isEmpty } }

  func table(named name: String) -> TableMap? {
    byTable[name]
  }
}

extension SQLIdentifier.Refusal {
  /// The refusal as the message of an error.
  var sentence: String {
    switch self {
    case .empty: "a name of the schema is empty"
    case .containsNull: "a name of the schema contains a null character"
    case .tooLong(let count):
      "a name of the schema has \(count) bytes; the limit is \(SQLIdentifier.maximumLength)"
    case .reserved(let name): "the name \(name) is reserved by SQLite; use another"
    case .collision(let first, let second):
      "the names \(first) and \(second) are the same to SQLite; change one"
    }
  }
}
