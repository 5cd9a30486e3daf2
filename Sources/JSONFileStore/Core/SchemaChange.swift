import StoreProtocol

/// What lies between the schema of a document and that of the program.
///
/// Entities and properties may be new, renamed (with the old name as `originalName`) or, for
/// properties, gone; numbers may become wider. All else needs a migration.
struct SchemaChange {
  /// Whether the document must be written anew before the first save.
  let needsRewriting: Bool

  /// Compares both.
  ///
  /// - Throws: `schemaMismatch` with the first thing that stands in the way.
  init(from contents: DocumentContents, to schema: StoreSchema, file: String) throws {
    needsRewriting = contents.schema != schema
    guard needsRewriting else { return }
    for old in contents.schema.entities {
      guard let new = schema.entity(named: old.name) else {
        if contents.sections[old.name].map({ $0.count <= 2 }) ?? true { continue }
        throw Self.mismatch("the program's schema lacks the entity", file, old.name)
      }
      guard old.root == new.root else {
        throw Self.mismatch("the entity inherits from another", file, old.name)
      }
      for property in old.properties { try Self.compare(property, of: old, new, file) }
    }
  }

  private static func compare(
    _ old: StoreProperty,
    of before: StoreEntity,
    _ entity: StoreEntity,
    _ file: String
  ) throws {
    let match =
      entity.property(named: old.name)
      ?? entity.properties.first { $0.originalName == old.name }
    guard let new = match else { return }
    guard isReadable(CellType(old, in: before), as: CellType(new, in: entity)) else {
      throw mismatch("the property is stored in another way", file, entity.name, old.name)
    }
  }

  /// Whether all values that were written as one type can be read as another.
  private static func isReadable(_ old: CellType, as new: CellType) -> Bool {
    switch (old, new) {
    case (.integer(let old), .integer(let new)):
      new.lowerBound <= old.lowerBound && old.upperBound <= new.upperBound
    case (.ephemeral, _), (_, .ephemeral): true
    // Data that lies in a file and is to be unique or indexed is told when it is read.
    case (.external, .data), (.data, .external): true
    default: old == new
    }
  }

  private static func mismatch(
    _ message: String,
    _ file: String,
    _ entity: String,
    _ property: String? = nil
  ) -> DataStoreError {
    DataStoreError(
      .schemaMismatch,
      "\(message) as the document has it; a migration is needed",
      entity: entity,
      property: property,
      file: file
    )
  }
}
