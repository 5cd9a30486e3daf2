import StoreProtocol

/// Compares a program's schema with that of a file, before any row is read.
struct SchemaMatch {
  let program: StoreSchema
  let file: StoreSchema
  let path: String

  /// Checks that the file has each entity and each property that must have a value.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the entity, the property and both types.
  func check() throws {
    for entity in program.entities {
      guard let source = file.entity(named: entity.name) else {
        let names = file.entities.map(\.name).joined(separator: ", ")
        throw mismatch("the file has no such entity; it has \(names)", entity.name)
      }
      for property in entity.properties { try check(property, of: entity, in: source) }
    }
  }

  private func check(
    _ property: StoreProperty,
    of entity: StoreEntity,
    in source: StoreEntity
  ) throws {
    guard
      let found = source.property(named: property.name)
        ?? source.property(named: property.originalName)
    else {
      guard property.isOptional || property.isToMany || property.defaultValue != nil else {
        throw mismatch("the file has no such property, and it is required", entity.name, property)
      }
      return
    }
    guard kind(property) == kind(found) else {
      throw mismatch(
        "it is \(kind(property)) in the program but \(kind(found)) in the file",
        entity.name,
        property
      )
    }
    guard let type = property.attributeType, let stored = found.attributeType else { return }
    guard type == stored || Self.converts(stored, to: type) else {
      throw mismatch(
        "it has the type \(type) in the program but \(stored) in the file",
        entity.name,
        property
      )
    }
  }

  private func kind(_ property: StoreProperty) -> String {
    property.isToOne
      ? "a relationship to one" : property.isToMany ? "a relationship to many" : "an attribute"
  }

  private static func converts(_ stored: AttributeType, to type: AttributeType) -> Bool {
    switch (stored, type) {
    case (_, .codable), (.codable, _): true
    case (let stored, let type) where stored.isInteger:
      type.isInteger || type == .bool || type == .double || type == .decimal
    case (.string, .url), (.url, .string), (.string, .uuid), (.float, .double), (.double, .float):
      true
    default: false
    }
  }

  private func mismatch(
    _ message: String,
    _ entity: String,
    _ property: StoreProperty? = nil
  ) -> DataStoreError {
    DataStoreError(
      .schemaMismatch,
      message,
      entity: entity,
      property: property?.name,
      file: path
    )
  }
}
