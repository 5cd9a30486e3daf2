import CoreDataFiles
import StoreProtocol

extension ManagedModel {
  /// Creates a model from a schema, for a file that has none.
  ///
  /// The file determines the names of the properties, the properties that exist
  /// (``removeMissing(in:)``), and whether a relationship is ordered.
  init(_ schema: StoreSchema, _ tables: SourceTables) {
    let entities = schema.entities.map { entity in
      let columns = Set(tables.columns["Z" + entity.root.uppercased()] ?? [])
      func storedName(_ property: StoreProperty) -> String {
        [property.name, property.originalName].first { columns.contains("Z" + $0.uppercased()) }
          ?? property.name
      }
      let above = entity.superentity.flatMap(schema.entity(named:))
      var result = Entity(name: entity.name)
      result.superentity = entity.superentity
      for property in schema.ownProperties(of: entity) {
        switch property.kind {
        case .attribute(let type):
          result.attributes.append(Attribute(storedName(property), property, type))
        case .toOne(let relationship), .toMany(let relationship):
          result.relationships.append(Relationship(storedName(property), property, relationship))
        }
      }
      let lists = above?.uniquenessConstraints ?? []
      result.uniquenessConstraints = entity.uniquenessConstraints.filter { !lists.contains($0) }
      let indices = above?.indices ?? []
      result.indices = entity.indices.filter { !indices.contains($0) }
      return result
    }
    self.init(entities: entities, versionIdentifiers: [schema.version])
  }

  /// Removes the properties that a file does not store.
  mutating func removeMissing(in layout: SourceLayout) {
    for position in entities.indices {
      guard let stored = layout.entities[entities[position].name] else { continue }
      entities[position].attributes.removeAll { attribute in
        if case .none? = stored.attributes[attribute.name] { return true }
        return false
      }
      entities[position].relationships.removeAll { relationship in
        if case .none? = stored.relationships[relationship.name] { return true }
        return false
      }
    }
  }
}

extension ManagedModel.Attribute {
  fileprivate init(_ name: String, _ property: StoreProperty, _ type: AttributeType) {
    self.init(name: name, type: .init(type))
    isOptional = property.isOptional
    allowsExternalStorage = property.isExternal
    preservesValueOnDeletion = property.options.contains("preserveValueOnDeletion")
  }
}

extension ManagedModel.AttributeType {
  fileprivate init(_ type: AttributeType) {
    self =
      switch type {
      case .bool: .boolean
      case .int8, .int16, .uint8: .integer16
      case .int32, .uint16: .integer32
      case .int64, .uint32, .uint64: .integer64
      case .float: .float
      case .double: .double
      case .decimal: .decimal
      case .string: .string
      case .date: .date
      case .data: .binary
      case .uuid: .uuid
      case .url: .uri
      case .codable: .transformable
      }
  }
}

extension ManagedModel.Relationship {
  fileprivate init(
    _ name: String,
    _ property: StoreProperty,
    _ relationship: StoreRelationship
  ) {
    self.init(name: name, destination: relationship.destination)
    inverse = relationship.inverse
    isToMany = property.isToMany
    isOrdered = isToMany
    isOptional = property.isOptional
    maximumCount = isToMany ? 0 : 1
    deleteRule =
      switch relationship.deleteRule {
      case "cascade": .cascade
      case "deny": .deny
      case "noAction": .noAction
      default: .nullify
      }
  }
}
