import StoreProtocol

/// The work of opening a document whose schema differs from the program's.
struct DocumentChange {
  private let schema: Schema
  private let stored: StoreSchema
  /// Whether rows must be converted.
  let convertsRows: Bool
  /// Whether the document must be rewritten before the first save.
  let needsRewriting: Bool

  /// Compares both schemas.
  ///
  /// - Throws: `schemaMismatch` if the change needs code, `storeTooNew` if the document is of a
  ///   later version.
  init(from stored: StoreSchema, to schema: Schema, file: String) throws {
    self.schema = schema
    self.stored = stored
    needsRewriting = stored != schema.storeSchema
    guard needsRewriting else {
      convertsRows = false
      return
    }
    let difference = SchemaDifference(from: stored, to: schema.storeSchema)
    convertsRows = !difference.isEmpty
    try difference.requireNoLaterVersion(file: file)
    try difference.requireLightweight(file: file)
  }

  /// Converts the rows of a store that was opened with the schema of its document.
  ///
  /// - Throws: `schemaMismatch` with the obstacle, `storeDamaged` if rows cannot be read.
  func convert(_ opened: inout OpenedStore, file: String) throws {
    // Their text has the format of another schema.
    try opened.state.loadAll(file: file)
    let conversion = StructureConversion(
      storeIdentifier: opened.identifier,
      file: file,
      valueFiles: opened.valueFiles
    )
    opened.state = try conversion.converted(
      opened.state,
      from: stored,
      through: [StructureChange(to: schema.storeSchema)]
    )
    opened.schema = schema
    opened.map = TableMap(schema.storeSchema)
    opened.schemaText = try schema.storeSchema.text()
  }
}
