import CoreDataFiles
import Foundation
import StoreProtocol

extension StoreSchema {
  /// Reads a JSON schema.
  convenience init(contentsOf url: URL) throws {
    let data = Data(try ModelFile.bytes(url))
    let schema = try JSONDecoder().decode(StoreSchema.self, from: data)
    self.init(version: schema.version, entities: schema.entities)
  }

  /// Creates the schema that a managed object model describes.
  ///
  /// Transient relationships and attributes, and attributes without a type, are omitted. References
  /// to one object are always optional, since Core Data only checks the model's rule when it saves.
  ///
  /// - Throws: ``DataStoreError/invalidConfiguration`` if a property has the name of the address
  ///   property.
  convenience init(_ model: ManagedModel, keepsURIs: Bool) throws {
    let hierarchy = Hierarchy(model)
    let uri = CoreDataStoreConfiguration.uriProperty
    for entity in model.entities where keepsURIs {
      let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
      guard !names.contains(uri) else {
        throw DataStoreError(
          .invalidConfiguration,
          "addresses cannot be stored, because the model has a property with that name; rename it",
          entity: entity.name,
          property: uri
        )
      }
    }
    let first =
      keepsURIs
      ? [StoreProperty(name: uri, kind: .attribute(.string), isOptional: true)] : []
    self.init(
      version: model.versionIdentifiers.first ?? "1.0.0",
      entities: model.entities.map { StoreEntity($0, hierarchy, first: first) }
    )
  }
}

extension StoreEntity {
  fileprivate convenience init(
    _ entity: ManagedModel.Entity,
    _ hierarchy: Hierarchy,
    first: [StoreProperty]
  ) {
    let line = hierarchy.ancestors(of: entity.name).reversed() + [entity]
    let properties = first + line.flatMap { StoreProperty.properties(of: $0, hierarchy) }
    let names = Set(properties.map(\.name))
    self.init(
      name: entity.name,
      superentity: entity.superentity,
      root: hierarchy.root(of: entity.name),
      properties: properties,
      uniquenessConstraints: line.flatMap(\.uniquenessConstraints),
      // An index may be of an expression, or of a property without stored values.
      indices: line.flatMap(\.indices).filter { !$0.isEmpty && names.isSuperset(of: $0) }
    )
  }
}

extension StoreProperty {
  /// Returns the stored properties of an entity, without inherited ones.
  fileprivate static func properties(
    of entity: ManagedModel.Entity,
    _ hierarchy: Hierarchy
  ) -> [StoreProperty] {
    let attributes = entity.attributes.compactMap { attribute -> StoreProperty? in
      guard !attribute.isTransient, let type = AttributeType(attribute) else { return nil }
      var options: [String] = []
      if attribute.allowsExternalStorage { options.append("externalStorage") }
      if attribute.preservesValueOnDeletion { options.append("preserveValueOnDeletion") }
      return StoreProperty(
        name: attribute.name,
        kind: .attribute(type),
        isOptional: attribute.isOptional,
        options: options,
        defaultValue: attribute.defaultValue.flatMap { StoreValue($0) }
      )
    }
    let relationships = entity.relationships.filter { !$0.isTransient }.map { relationship in
      // Swift cannot declare a relationship as its own inverse; each object has its own list then.
      let isOwnInverse = hierarchy.isOwnInverse(relationship, of: entity.name)
      let inverse = (isOwnInverse ? nil : relationship.inverse).flatMap {
        hierarchy.relationship($0, of: relationship.destination)
      }
      let description = StoreRelationship(
        destination: relationship.destination,
        inverse: inverse?.name,
        inverseIsToOne: inverse.map { !$0.isToMany } ?? false,
        deleteRule: "\(relationship.deleteRule)"
      )
      return StoreProperty(
        name: relationship.name,
        kind: relationship.isToMany ? .toMany(description) : .toOne(description),
        isOptional: !relationship.isToMany
      )
    }
    return attributes + relationships
  }
}

extension AttributeType {
  /// Creates the type of a Core Data attribute, or returns `nil` if it has no stored values.
  ///
  /// SwiftData stores an enumeration with raw values as a composite with one element of the
  /// attribute's own name; it has the type of that element.
  init?(_ attribute: ManagedModel.Attribute) {
    switch attribute.type {
    case .integer16: self = .int16
    case .integer32: self = .int32
    case .integer64: self = .int64
    case .decimal: self = .decimal
    case .double: self = .double
    case .float: self = .float
    case .string: self = .string
    case .boolean: self = .bool
    case .date: self = .date
    case .binary: self = .data
    case .uuid: self = .uuid
    case .uri: self = .url
    case .transformable: self = .codable
    case .composite:
      if let rawValue = attribute.rawValue, let type = AttributeType(rawValue) {
        self = type
      } else {
        self = .codable
      }
    case .undefined, .objectID: return nil
    }
  }
}

extension ManagedModel.Attribute {
  /// The element that holds the raw value of an enumeration, or `nil` for other composites.
  var rawValue: ManagedModel.Attribute? {
    isEnumeration && cases.isEmpty && elements.count == 1 && elements[0].name == name
      ? elements[0] : nil
  }
}
