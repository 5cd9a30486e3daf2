import CoreDataFiles
import Foundation
import StoreProtocol

/// An open store of Core Data: its file, its model and how to read its rows.
final class SourceContent: Sendable {
  /// Keys of tables are below this, so that the table of a row can be told from its key.
  private static let keyBits: Int64 = 44

  private let copy: SourceCopy
  let reader: SourceReader
  let tables: SourceTables
  let model: ManagedModel
  let layout: SourceLayout
  /// The schema that rows are read in: the program's, or that of the model.
  let schema: StoreSchema
  let attributes: AttributeReader
  let conversion = ValueConversion()
  let problems: UnreadableValues
  private let scopes: [Int64: PersistentIdentifier.Scope]

  init(_ configuration: CoreDataStoreConfiguration) throws {
    let path = configuration.url.path
    copy = try SourceCopy(of: configuration.url, isInPlace: configuration.isInPlace)
    reader = try SourceReader(copy.file, isSource: copy.isSource, path: path)
    tables = try SourceTables(reader)
    model = try Self.model(configuration, tables, path)
    layout = try SourceLayout(model, tables, path: path)
    let derived = StoreSchema(model)
    if let program = configuration.schema?.storeSchema {
      schema = program
      try SchemaMatch(program: program, file: derived, path: path).check()
    } else {
      schema = derived
    }
    attributes = AttributeReader(externalFolder: ExternalReference.folder(of: configuration.url))
    problems = UnreadableValues(configuration.unreadableValues)
    let identifier = tables.identifier
    scopes = Dictionary(
      tables.entities.map {
        ($0.number, .init(storeIdentifier: identifier, entityName: $0.name))
      },
      uniquingKeysWith: { $1 }
    )
  }

  private static func model(
    _ configuration: CoreDataStoreConfiguration,
    _ tables: SourceTables,
    _ path: String
  ) throws -> ManagedModel {
    do {
      if let url = configuration.modelURL {
        return try ModelFile.read(url, matching: tables.metadata.entityHashes)
      }
      if let cache = tables.cachedModel { return try ManagedModel(cache: cache) }
    } catch {
      throw DataStoreError(
        .storeDamaged,
        "the managed object model cannot be read",
        file: configuration.modelURL?.path ?? path,
        cause: error
      )
    }
    throw DataStoreError(
      .invalidConfiguration,
      "the store has no model in it, as stores of systems before iOS 9 and OS X 10.11; "
        + "name one with 'model' (.mom, .momd, .xcdatamodel or .xcdatamodeld)",
      file: path
    )
  }

  /// The identifier of a row.
  ///
  /// - Parameters:
  ///   - key: The row's `Z_PK`.
  ///   - number: The row's `Z_ENT`.
  ///   - rank: The rank of its table, if it is known.
  /// - Returns: The identifier.
  /// - Throws: ``DataStoreError/storeDamaged`` for a key or an entity that no row can have.
  func identifier(
    _ key: Int64,
    number: Int64,
    rank: Int64? = nil
  ) throws -> PersistentIdentifier {
    guard (1..<1 << Self.keyBits).contains(key), let scope = scopes[number],
      let rank = rank ?? layout.entities[scope.entityName]?.rank
    else {
      throw DataStoreError(
        .storeDamaged,
        "a row has the key \(key) and the entity \(number)",
        file: reader.path
      )
    }
    return PersistentIdentifier(scope: scope, key: .integer(rank << Self.keyBits | key))
  }

  /// The key of a row within its table, or `nil` if it belongs to another table.
  func tableKey(_ identifier: PersistentIdentifier, rank: Int64) -> Int64? {
    guard let key = identifier.integerKey, key >> Self.keyBits == rank else { return nil }
    return key & (1 << Self.keyBits - 1)
  }

  /// How rows of an entity are read, with those that inherit from it.
  func plan(of entity: String, includesSubentities: Bool) throws -> RowPlan {
    let names = includesSubentities ? schema.family(of: entity).map(\.name) : [entity]
    guard schema.entity(named: entity) != nil,
      let plan = RowPlan(names, schema: schema, model: model, layout: layout)
    else {
      throw DataStoreError(
        .schemaMismatch,
        "the store's schema lacks this entity",
        entity: entity,
        file: reader.path
      )
    }
    return plan
  }

  /// Reads the rows of an entity in the order of their keys: some, or all for `nil`.
  ///
  /// The body returns whether to go on.
  func rows(
    of entity: String,
    includesSubentities: Bool,
    _ identifiers: [PersistentIdentifier]?,
    _ body: (DefaultSnapshot) throws -> Bool
  ) throws {
    let plan = try plan(of: entity, includesSubentities: includesSubentities)
    guard let identifiers else {
      let rows = try SourceRows(self, plan, keys: nil)
      while let row = try rows.next() { guard try body(row) else { return } }
      return
    }
    let keys = Set(identifiers.compactMap { tableKey($0, rank: plan.rank) }).sorted()
    // Keys are part of the statement, whose length is limited.
    for start in stride(from: 0, to: keys.count, by: 10_000) {
      let part = Array(keys[start..<min(start + 10_000, keys.count)])
      let rows = try SourceRows(self, plan, keys: part)
      while let row = try rows.next() { guard try body(row) else { return } }
    }
  }

  /// The number of rows of an entity.
  func count(of entity: String, includesSubentities: Bool) throws -> Int {
    let plan = try plan(of: entity, includesSubentities: includesSubentities)
    let numbers = plan.entities.keys.sorted().map(String.init).joined(separator: ", ")
    let sql = "SELECT count(*) FROM \(SourceReader.quoted(plan.table)) WHERE Z_ENT IN (\(numbers))"
    return Int(try reader.rows(sql) { $0.integer(0) ?? 0 }.first ?? 0)
  }
}
