/// Rows that prevent a change of the schema.
public struct SchemaViolation: Hashable, Sendable, CustomStringConvertible {
  /// The entity, by its name in the newer schema.
  public let entity: String
  /// The property, or the properties whose combined values must be unique.
  public let properties: [String]
  /// The problem with the rows, as a sentence without subject and period.
  public let reason: String
  /// The number of affected rows.
  public let count: Int
  /// One of the affected rows.
  public let example: PersistentIdentifier?
  /// The rows that conflict about the example.
  public let related: [PersistentIdentifier]

  /// Creates a violation.
  public init(
    entity: String,
    properties: [String],
    reason: String,
    count: Int,
    example: PersistentIdentifier?,
    related: [PersistentIdentifier] = []
  ) {
    self.entity = entity
    self.properties = properties
    self.reason = reason
    self.count = count
    self.example = example
    self.related = related
  }

  /// The location, the number of rows, the problem, and an example.
  public var description: String {
    "\(entity).\(properties.joined(separator: ", ")): \(sentence)"
  }

  private var sentence: String {
    let rows = count == 1 ? "1 row" : "\(count) rows"
    let owners = related.isEmpty ? "" : " of \(related.map { "\($0)" }.joined(separator: " and "))"
    return "\(rows) \(reason)" + (example.map { ", for example \($0)\(owners)" } ?? "")
  }
}

extension SchemaViolation {
  /// Creates a violation by rows that lack a value.
  package static func absent(
    _ property: String,
    of entity: String,
    count: Int,
    example: PersistentIdentifier?
  ) -> SchemaViolation {
    SchemaViolation(
      entity: entity,
      properties: [property],
      reason: "would have no value for a required property",
      count: count,
      example: example
    )
  }

  /// Creates a violation by rows whose value is invalid for the newer type.
  package static func unfit(
    _ property: String,
    of entity: String,
    for type: AttributeType,
    count: Int,
    example: PersistentIdentifier?
  ) -> SchemaViolation {
    SchemaViolation(
      entity: entity,
      properties: [property],
      reason: "have a value that does not fit \(type.rawValue)",
      count: count,
      example: example
    )
  }

  /// Creates a violation by rows that several objects refer to, although the new inverse has room
  /// for one.
  package static func shared(
    _ property: StoreProperty,
    of entity: String,
    count: Int,
    example: PersistentIdentifier?,
    owners: [PersistentIdentifier]
  ) -> SchemaViolation {
    let owner = property.relationship.map { "\($0.destination).\($0.inverse ?? "")" } ?? ""
    return SchemaViolation(
      entity: entity,
      properties: [property.name],
      reason: "would be in \(owner) of more than one object",
      count: count,
      example: example,
      related: owners
    )
  }

  /// Creates a violation by rows with equal values.
  package static func equal(
    _ properties: [String],
    of entity: String,
    count: Int,
    example: PersistentIdentifier?
  ) -> SchemaViolation {
    SchemaViolation(
      entity: entity,
      properties: properties,
      reason: "have the same unique values as another row",
      count: count,
      example: example
    )
  }

  /// Creates a violation by rows of an entity that the newer schema lacks.
  package static func abandoned(
    _ entity: String,
    count: Int,
    example: PersistentIdentifier?
  ) -> SchemaViolation {
    SchemaViolation(
      entity: entity,
      properties: [],
      reason: "belong to an entity that the program's schema lacks",
      count: count,
      example: example
    )
  }

  /// Returns the violation as an error.
  ///
  /// - Parameters:
  ///   - difference: The difference between both schemas.
  ///   - file: The store's file.
  /// - Returns: An error of code `schemaMismatch`.
  package func error(_ difference: SchemaDifference, file: String?) -> DataStoreError {
    let remedy =
      properties.isEmpty
      ? "name all models of the store, or remove the entity by a migration plan"
      : isNew(in: difference)
        ? "give it a default value, make it optional, or set it in the migrate or didMigrate of a "
          + "custom stage"
        : "fix the rows in the willMigrate of a custom stage"
    return error(difference, file: file, remedy)
  }

  /// Returns the violation as an error of a stage whose code has run.
  ///
  /// - Parameter difference: The difference between both versions of the stage.
  /// - Returns: An error of code `schemaMismatch`.
  package func error(afterCode difference: SchemaDifference) -> DataStoreError {
    error(difference, file: nil, "set it for each object in the stage's migrate or didMigrate")
  }

  private func error(
    _ difference: SchemaDifference,
    file: String?,
    _ remedy: String
  ) -> DataStoreError {
    DataStoreError(
      .schemaMismatch,
      "\(sentence); \(remedy); nothing was changed; \(difference.sentence)",
      entity: entity,
      property: properties.isEmpty ? nil : properties.joined(separator: ", "),
      identifiers: (example.map { [$0] } ?? []) + related,
      file: file
    )
  }

  /// Whether older rows have no value of the property that code could fix.
  private func isNew(in difference: SchemaDifference) -> Bool {
    guard let name = properties.first, properties.count == 1 else { return false }
    return RowMapping.mappings(of: difference, fillsMissing: false)
      .contains { mapping in
        mapping.new.name == entity
          && mapping.new.indexByName[name].map { mapping.sources[$0] == .missing } == true
      }
  }
}
