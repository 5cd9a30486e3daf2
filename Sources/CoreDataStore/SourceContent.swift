import CoreDataFiles
import Foundation
import SQLTranslation
import StoreProtocol
import Synchronization

/// An open store of Core Data: its file, its model and its row readers.
final class SourceContent: Sendable {
  enum ModelSource: String {
    case cache = "the store itself"
    case file = "a file of the model"
    case schema = "a schema in a file"
    case classes = "the program's classes"
    case names = "the names of tables and columns, with guessed types"

    /// Whether the model may have properties that the file lacks.
    var mayExceedFile: Bool { self == .schema || self == .classes }
  }

  /// Table keys are below this limit, so that a row's key identifies its table.
  private static let keyBits: Int64 = 44
  private static let keysOfStatement = 2_000

  private let copy: SourceCopy
  let reader: SourceReader
  let tables: SourceTables
  let model: ManagedModel
  let modelSource: ModelSource
  let layout: SourceLayout
  /// The schema of the rows: the program's, or that of the model.
  let schema: StoreSchema
  let catalog: SourceCatalog
  let attributes: AttributeReader
  let conversion = ValueConversion()
  let problems: UnreadableValues
  let remarks = ReadingRemarks()
  /// The required attributes (`Person.name`) that are optional, since a row has no value.
  let optionalAttributes: Set<String>
  private let keepsURIs: Bool
  private let rowCounter = Atomic(0)
  private let scopes: [Int64: PersistentIdentifier.Scope]

  init(_ configuration: CoreDataStoreConfiguration) throws {
    // The log and the external files are beside the target of a link.
    let url = configuration.url.resolvingSymlinksInPath()
    let path = url.path
    copy = try SourceCopy(of: url, isInPlace: configuration.isInPlace)
    reader = try SourceReader(copy.file, isSource: copy.isSource, path: path)
    var tables = try SourceTables(reader)
    var (original, source) = try Self.model(configuration, reader, tables)
    modelSource = source
    tables.rename(by: original)
    self.tables = tables
    let found = try SourceLayout(
      original,
      tables,
      path: path,
      requiresAll: !source.mayExceedFile
    )
    if source.mayExceedFile { original.removeMissing(in: found) }
    var adjustment = try ModelAdjustment(
      original,
      configuration.modelChanges,
      decodesTransformables: configuration.decodesTransformables
    )
    // The program's classes declare themselves which values may be absent.
    if configuration.schema == nil { adjustment.allowAbsentValues(in: found, reader) }
    optionalAttributes = adjustment.optionalAttributes
    layout = found.renamed(by: adjustment)
    model = try adjustment.adjustedModel()
    keepsURIs = configuration.keepsURIs
    let derived = try StoreSchema(model, keepsURIs: keepsURIs)
    if let program = configuration.schema?.storeSchema {
      schema = program
      try SchemaMatch(program: program, file: derived, path: path).check()
    } else {
      schema = derived
    }
    catalog = SourceCatalog(schema, model, layout, storeIdentifier: tables.identifier)
    attributes = AttributeReader(externalFolder: ExternalReference.folder(of: url))
    problems = UnreadableValues(configuration.unreadableValues)
    let identifier = tables.identifier
    scopes = Dictionary(
      lastOf: tables.entities.map { [adjustment] in
        let name = adjustment.name(of: $0.name)
        return ($0.number, .init(storeIdentifier: identifier, entityName: name))
      }
    )
  }

  /// Returns the first model that exists: that of a named file, of the store, or of the program's
  /// classes.
  private static func model(
    _ configuration: CoreDataStoreConfiguration,
    _ reader: SourceReader,
    _ tables: SourceTables
  ) throws -> (ManagedModel, ModelSource) {
    let file = (configuration.schemaURL ?? configuration.modelURL)?.path ?? reader.path
    do {
      if let url = configuration.schemaURL {
        return (ManagedModel(try StoreSchema(contentsOf: url), tables), .schema)
      }
      if let url = configuration.modelURL {
        let models = try ModelFile.versions(url, matching: tables.metadata.entityHashes)
        let ranked = models.map { ($0, SourceLayout.deviation(of: $0, from: tables)) }
        if let closest = ranked.min(by: { $0.1 < $1.1 }) { return (closest.0, .file) }
      }
      if let cache = tables.cachedModel { return (try ManagedModel(cache: cache), .cache) }
    } catch {
      throw DataStoreError(
        .storeDamaged,
        "the managed object model cannot be read",
        file: file,
        cause: error
      )
    }
    if let schema = configuration.schema?.storeSchema {
      return (ManagedModel(schema, tables), .classes)
    }
    return (try NamedModel.model(reader, tables), .names)
  }

  /// The number of rows that were read.
  var rowsRead: Int { rowCounter.load(ordering: .relaxed) }

  /// Counts a row that was read.
  func countRow() { rowCounter.wrappingAdd(1, ordering: .relaxed) }

  /// Returns the identifier of a row.
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

  /// Returns the address that Core Data gave a row.
  func uri(_ key: Int64, number: Int64) -> String {
    "x-coredata://\(tables.identifier)/\(tables.name(of: number) ?? "")/p\(key)"
  }

  /// Returns the key of a row within its table, or `nil` if it is in another table.
  func tableKey(_ identifier: PersistentIdentifier, rank: Int64) -> Int64? {
    guard let key = identifier.integerKey, key >> Self.keyBits == rank else { return nil }
    return key & (1 << Self.keyBits - 1)
  }

  /// Returns the keys of the rows that are in one table, each once and in order.
  func tableKeys(_ identifiers: [PersistentIdentifier], rank: Int64) -> [Int64] {
    Set(identifiers.compactMap { tableKey($0, rank: rank) }).sorted()
  }

  /// Returns the plan for reading an entity's rows, by default with those of its subentities.
  func plan(
    of entity: String,
    includesSubentities: Bool = true,
    membersOf relationship: String? = nil
  ) throws -> RowPlan {
    let names = includesSubentities ? schema.family(of: entity).map(\.name) : [entity]
    guard schema.entity(named: entity) != nil,
      let plan = RowPlan(
        names,
        schema: schema,
        model: model,
        layout: layout,
        keepsURIs: keepsURIs,
        membersOf: relationship
      )
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

  /// Reads the rows of an entity and its subentities in the order of their keys: some, or all for
  /// `nil`.
  ///
  /// The body returns whether to continue.
  func rows(
    of entity: String,
    _ identifiers: [PersistentIdentifier]?,
    _ body: (DefaultSnapshot) throws -> Bool
  ) throws {
    let plan = try plan(of: entity)
    try rows(plan, keys: identifiers.map { tableKeys($0, rank: plan.rank) }, body)
  }

  /// Reads the rows with some keys in the order of the keys, or all for `nil`.
  ///
  /// The body returns whether to continue.
  func rows(
    _ plan: RowPlan,
    keys: [Int64]?,
    _ body: (DefaultSnapshot) throws -> Bool
  ) throws {
    guard let keys else {
      let rows = try SourceRows(self, plan, keys: nil)
      while let row = try rows.next() { guard try body(row) else { return } }
      return
    }
    try inParts(keys) { part in
      let rows = try SourceRows(self, plan, keys: part.sorted())
      let isSorted = zip(part, part.dropFirst()).allSatisfy { $0 < $1 }
      guard !isSorted else {
        while let row = try rows.next() { guard try body(row) else { return false } }
        return true
      }
      var found: [Int64: DefaultSnapshot] = [:]
      while let row = try rows.next() {
        if let key = tableKey(row.persistentIdentifier, rank: plan.rank) { found[key] = row }
      }
      return try part.lazy.compactMap { found[$0] }.allSatisfy(body)
    }
  }

  /// Calls a body with a limited number of keys at a time.
  ///
  /// The keys are part of a statement, whose length is limited. The body returns whether to
  /// continue.
  func inParts(_ keys: [Int64], _ body: ([Int64]) throws -> Bool) throws {
    for start in stride(from: 0, to: keys.count, by: Self.keysOfStatement) {
      guard try body(Array(keys[start..<min(start + Self.keysOfStatement, keys.count)])) else {
        return
      }
    }
  }

  /// Returns the number of rows of a plan that satisfy conditions.
  func count(_ plan: RowPlan, _ conditions: [SQLFragment] = []) throws -> Int {
    let statement = try reader.prepare(plan.selectCount(conditions))
    return try statement.step() ? Int(statement.integer(0) ?? 0) : 0
  }
}
