/// Reads a managed object model from its archive.
struct ManagedModelReader {
  let limits: ReadingLimits
  var propertyCount = 0

  mutating func model(_ root: KeyedArchive.Item) throws(FormatError) -> ManagedModel {
    guard try root.className() == "NSManagedObjectModel",
      let list = try root["NSEntities"]?.entries()
    else { throw FormatError(.model, "the archive's root is not an NSManagedObjectModel") }
    guard list.count <= limits.entities else {
      throw FormatError(.model, "it has more than \(limits.entities) entities")
    }
    var entities: [ManagedModel.Entity] = []
    for (_, item) in list { entities.append(try entity(item)) }
    var identifiers: [String] = []
    for item in try root["NSVersionIdentifiers"]?.elements() ?? [] {
      if let identifier = try item.string(), !identifier.isEmpty { identifiers.append(identifier) }
    }
    var model = ManagedModel(entities: entities, versionIdentifiers: identifiers.sorted())
    try model.check()
    model.removeInheritedProperties()
    return model
  }

  private mutating func entity(
    _ item: KeyedArchive.Item
  ) throws(FormatError)
    -> ManagedModel.Entity
  {
    guard let name = try item["NSEntityName"]?.string() else {
      throw FormatError(.model, "an entity has no name")
    }
    var entity = ManagedModel.Entity(name: name)
    let className = try item["NSClassNameForEntity"]?.string()
    entity.className = className == name ? nil : className
    entity.superentity = try item["NSSuperentity"]?["NSEntityName"]?.string()
    entity.isAbstract = try item["NSIsAbstract"]?.isTrue ?? false
    entity.originalName = try originalName(item, name)
    for (_, property) in try item["NSProperties"]?.entries() ?? [] {
      try countProperty()
      // Inherited properties are repeated: as proxies in archives of old systems, in full in others.
      guard try property["NSEntity"]?.id == item.id else { continue }
      switch try property.className() {
      case "NSRelationshipDescription": entity.relationships.append(try relationship(property))
      case "NSFetchedPropertyDescription", "NSExpressionDescription", "_NSPropertyDescriptionProxy":
        continue
      default:
        let attribute = try attribute(property, depth: 0)
        entity.attributes.append(attribute)
        // Models of old tools mark an attribute instead of describing its index.
        if try property["NSIsIndexed"]?.isTrue == true { entity.indices.append([attribute.name]) }
      }
    }
    entity.attributes.sort { $0.name < $1.name }
    entity.relationships.sort { $0.name < $1.name }
    entity.uniquenessConstraints = try names(item["NSUniqueTuples"])
    let indices = try names(item["NSFetchIndexDescriptions"], in: "NSIndexElements")
    for names in try indices + names(item["NSCompoundIndexes"])
    where !entity.indices.contains(names) {
      entity.indices.append(names)
    }
    entity.indices.sort { $0.lexicographicallyPrecedes($1) }
    return entity
  }

  private mutating func attribute(
    _ item: KeyedArchive.Item,
    depth: Int
  ) throws(FormatError) -> ManagedModel.Attribute {
    guard let name = try item["NSPropertyName"]?.string(), depth < limits.depth else {
      throw FormatError(.model, "an attribute has no name or is nested too deeply")
    }
    let number = try item["NSAttributeType"]?.integer ?? 0
    guard let type = ManagedModel.AttributeType(rawValue: number) else {
      throw FormatError(.model, "attribute '\(name)' has the unknown type \(number)")
    }
    var attribute = ManagedModel.Attribute(name: name, type: type)
    let flags = try item["NSFlagsKey"]?.integer ?? 0
    attribute.allowsExternalStorage = flags & 4 != 0
    attribute.preservesValueOnDeletion = flags & 16 != 0
    attribute.isOptional = try item["NSIsOptional"]?.isTrue ?? false
    attribute.isTransient = try item["NSIsTransient"]?.isTrue ?? false
    attribute.transformerName = try item["NSValueTransformerName"]?.string()
    attribute.originalName = try originalName(item, name)
    if let value = try item["NSDefaultValue"], !value.isNull {
      // Archives have Booleans as integers.
      let isBoolean = type == .boolean && value.integer != nil
      attribute.defaultValue =
        isBoolean ? .bool(value.isTrue) : try ArchivedValue(value, limits: limits)
    }
    for (key, value) in try item["NSUserInfo"]?.entries() ?? [] {
      switch try key.string() {
      case "EnumType": attribute.isEnumeration = value.isTrue
      case "enum":
        for name in try value.elements() { attribute.cases.append(try name.string() ?? "") }
      default: continue
      }
    }
    for element in try item["NSCompositeElements"]?.elements() ?? [] {
      try countProperty()
      attribute.elements.append(try self.attribute(element, depth: depth + 1))
    }
    return attribute
  }

  private mutating func countProperty() throws(FormatError) {
    propertyCount += 1
    guard propertyCount <= limits.properties else {
      throw FormatError(.model, "it has more than \(limits.properties) properties")
    }
  }

  private func relationship(
    _ item: KeyedArchive.Item
  ) throws(FormatError) -> ManagedModel.Relationship {
    guard let name = try item["NSPropertyName"]?.string(),
      let destination = try self.name(
        item,
        "_NSDestinationEntityName",
        or: "NSDestinationEntity",
        "NSEntityName"
      )
    else { throw FormatError(.model, "a relationship has no name or no destination") }
    var relationship = ManagedModel.Relationship(name: name, destination: destination)
    relationship.inverse = try self.name(
      item,
      "_NSInverseRelationshipName",
      or: "NSInverseRelationship",
      "NSPropertyName"
    )
    relationship.minimumCount = try item["NSMinCount"]?.integer ?? 0
    relationship.maximumCount = try item["NSMaxCount"]?.integer ?? 0
    relationship.isToMany = relationship.maximumCount != 1
    relationship.isOrdered =
      try item["NSIsOrdered"]?.isTrue ?? false && relationship.isToMany
    relationship.isOptional = try item["NSIsOptional"]?.isTrue ?? false
    relationship.isTransient = try item["NSIsTransient"]?.isTrue ?? false
    relationship.originalName = try originalName(item, name)
    let rule = try item["NSDeleteRule"]?.integer ?? 1
    relationship.deleteRule = ManagedModel.Relationship.DeleteRule(rawValue: rule) ?? .nullify
    return relationship
  }

  /// Reads a name, or the name of the object to which another field refers.
  private func name(
    _ item: KeyedArchive.Item,
    _ key: String,
    or reference: String,
    _ nameKey: String
  ) throws(FormatError) -> String? {
    if let name = try item[key]?.string() { return name }
    return try item[reference]?[nameKey]?.string()
  }

  private func originalName(
    _ item: KeyedArchive.Item,
    _ name: String
  ) throws(FormatError) -> String? {
    let original = try item["NSRenamingIdentifier"]?.string()
    return original == name || original?.isEmpty == true ? nil : original
  }

  /// Reads lists of property names, each of which may be in a field.
  private func names(
    _ item: KeyedArchive.Item?,
    in key: String? = nil
  ) throws(FormatError) -> [[String]] {
    var result: [[String]] = []
    for tuple in try item?.elements() ?? [] {
      let list: KeyedArchive.Item? = if let key { try tuple[key] } else { tuple }
      var names: [String] = []
      for element in try list?.elements() ?? [] {
        // An element is a name, or the description of a property.
        if let name = try element.string() {
          names.append(name)
        } else {
          names.append(try element["NSPropertyName"]?.string() ?? "")
        }
      }
      // A list with an unnamed expression is no shorter list of properties.
      if !names.isEmpty, !names.contains("") { result.append(names) }
    }
    return result
  }
}

extension ManagedModel {
  /// Removes the properties, constraints and indexes of entities that a superentity has as well.
  fileprivate mutating func removeInheritedProperties() {
    let hierarchy = Hierarchy(self)
    for position in entities.indices {
      let ancestors = hierarchy.ancestors(of: entities[position].name)
      let inherited = Set(
        ancestors.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) }
      )
      let inheritedLists = Set(ancestors.flatMap { $0.indices + $0.uniquenessConstraints })
      entities[position].attributes.removeAll { inherited.contains($0.name) }
      entities[position].relationships.removeAll { inherited.contains($0.name) }
      entities[position].indices.removeAll { inheritedLists.contains($0) }
      entities[position].uniquenessConstraints.removeAll { inheritedLists.contains($0) }
    }
  }

  /// Reads the archive of a model, as a `.mom` file and the decompressed cache of a store have it.
  ///
  /// - Throws: ``FormatError`` if the bytes are no model, contradict each other or exceed the limits.
  package init(archive bytes: [UInt8], limits: ReadingLimits = ReadingLimits()) throws(FormatError)
  {
    var reader = ManagedModelReader(limits: limits)
    self = try reader.model(KeyedArchive(bytes, limits: limits).root())
  }

  /// Reads the model that a store caches in `Z_MODELCACHE`.
  package init(cache bytes: [UInt8], limits: ReadingLimits = ReadingLimits()) throws(FormatError) {
    try self.init(
      archive: Inflater.inflate(bytes, maximumSize: limits.size),
      limits: limits
    )
  }
}
