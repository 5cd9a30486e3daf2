import CoreDataFiles

/// Writes the archive of a managed object model, as Core Data caches it in a store.
package struct ModelWriter {
  /// How systems differ.
  package struct Style: Sendable {
    /// Entities in an `NSKnownKeysDictionary1` (new) or an `NSMutableDictionary` (old).
    package var hasKnownKeys = true
    /// Inherited properties repeated as proxies, as old systems write them.
    package var hasProxies = false

    package init(hasKnownKeys: Bool = true, hasProxies: Bool = false) {
      self.hasKnownKeys = hasKnownKeys
      self.hasProxies = hasProxies
    }
  }

  private var archive = ArchiveWriter()
  private let model: ManagedModel
  private let style: Style
  private var entities: [String: Int] = [:]
  private var properties: [String: Int] = [:]

  /// Returns the bytes of a model's archive.
  package static func archive(_ model: ManagedModel, style: Style = Style()) -> [UInt8] {
    var writer = ModelWriter(model: model, style: style)
    return writer.bytes()
  }

  private init(model: ManagedModel, style: Style) {
    self.model = model
    self.style = style
  }

  private mutating func bytes() -> [UInt8] {
    let root = archive.reserve()
    for entity in model.entities {
      entities[entity.name] = archive.reserve()
      for relationship in entity.relationships {
        properties["\(entity.name).\(relationship.name)"] = archive.reserve()
      }
    }
    for entity in model.entities { write(entity, root: root) }
    let identifiers = archive.add(
      array: model.versionIdentifiers.map { archive.add(.string($0)) },
      className: "NSSet"
    )
    archive.set(
      root,
      className: "NSManagedObjectModel",
      [
        ("NSEntities", .reference(list())), ("NSVersionIdentifiers", .reference(identifiers)),
        ("NSFetchRequestTemplates", .reference(ArchiveWriter.null)),
      ]
    )
    return archive.bytes(root: root)
  }

  private mutating func list() -> Int {
    let numbers = model.entities.map { entities[$0.name] ?? 0 }
    let names = model.entities.map { archive.add(.string($0.name)) }
    guard style.hasKnownKeys else {
      return archive.add(dictionary: Array(zip(names, numbers)))
    }
    let token = archive.add(.string("__empty_slot_token__"))
    let mapping = archive.add(
      className: "NSKnownKeysMappingStrategy1",
      [
        ("keys", .reference(archive.add(array: names))),
        ("length", .value(.integer(Int64(names.count)))),
      ]
    )
    return archive.add(
      className: "NSKnownKeysDictionary1",
      [
        ("searchMapping", .reference(mapping)), ("emptyToken", .reference(token)),
        ("values", .reference(archive.add(array: numbers))),
      ]
    )
  }

  private mutating func write(_ entity: ManagedModel.Entity, root: Int) {
    let number = entities[entity.name] ?? 0
    var own: [(Int, Int)] = []
    for attribute in entity.attributes {
      own.append((archive.add(.string(attribute.name)), add(attribute, of: number)))
    }
    for relationship in entity.relationships {
      let property = properties["\(entity.name).\(relationship.name)"] ?? 0
      write(relationship, as: property, of: number)
      own.append((archive.add(.string(relationship.name)), property))
    }
    if style.hasProxies, entity.superentity != nil {
      let proxy = archive.add(
        className: "_NSPropertyDescriptionProxy",
        [("NSReferenceID", .value(.integer(0))), ("NSEntityDescription", .reference(number))]
      )
      own.append((archive.add(.string("inherited")), proxy))
    }
    var fields: [(String, ArchiveWriter.Field)] = [
      ("NSEntityName", .reference(archive.add(.string(entity.name)))),
      ("NSClassNameForEntity", .reference(archive.add(.string(entity.className ?? entity.name)))),
      ("NSManagedObjectModel", .reference(root)),
      ("NSSuperentity", .reference(entity.superentity.flatMap { entities[$0] } ?? 0)),
      ("NSProperties", .reference(archive.add(dictionary: own))),
      ("NSRenamingIdentifier", .reference(addName(entity.originalName ?? entity.name))),
      ("NSUniqueTuples", .reference(addLists(entity.uniquenessConstraints))),
      ("NSFetchIndexDescriptions", .reference(addIndices(entity.indices, of: number))),
    ]
    if entity.isAbstract { fields.append(("NSIsAbstract", .value(.bool(true)))) }
    archive.set(number, className: "NSEntityDescription", fields)
  }

  private mutating func add(_ attribute: ManagedModel.Attribute, of entity: Int) -> Int {
    let flags =
      (attribute.allowsExternalStorage ? 4 : 0) + (attribute.preservesValueOnDeletion ? 16 : 0)
    var fields: [(String, ArchiveWriter.Field)] = [
      ("NSPropertyName", .reference(archive.add(.string(attribute.name)))),
      ("NSAttributeType", .value(.integer(Int64(attribute.type.rawValue)))),
      ("NSEntity", .reference(entity)), ("NSFlagsKey", .value(.integer(Int64(flags)))),
      ("NSDefaultValue", .reference(addDefault(attribute.defaultValue))),
      (
        "NSValueTransformerName",
        .reference(attribute.transformerName.map { archive.add(.string($0)) } ?? 0)
      ),
      ("NSRenamingIdentifier", .reference(addName(attribute.originalName ?? attribute.name))),
    ]
    if attribute.isOptional { fields.append(("NSIsOptional", .value(.bool(true)))) }
    if attribute.isTransient { fields.append(("NSIsTransient", .value(.bool(true)))) }
    if attribute.isEnumeration {
      var information = [(archive.add(.string("EnumType")), archive.add(.bool(true)))]
      if !attribute.cases.isEmpty {
        let cases = archive.add(array: attribute.cases.map { archive.add(.string($0)) })
        information.append((archive.add(.string("enum")), cases))
      }
      fields.append(("NSUserInfo", .reference(archive.add(dictionary: information))))
    }
    guard attribute.type == .composite else {
      return archive.add(className: "NSAttributeDescription", fields)
    }
    let elements = attribute.elements.map { add($0, of: entity) }
    let list = archive.add(array: elements, className: "NSMutableArray")
    fields.append(("NSCompositeElements", .reference(list)))
    return archive.add(className: "NSCompositeAttributeDescription", fields)
  }

  private mutating func write(
    _ relationship: ManagedModel.Relationship,
    as number: Int,
    of entity: Int
  ) {
    let inverse = relationship.inverse
    var fields: [(String, ArchiveWriter.Field)] = [
      ("NSPropertyName", .reference(archive.add(.string(relationship.name)))),
      ("NSEntity", .reference(entity)),
      ("_NSDestinationEntityName", .reference(archive.add(.string(relationship.destination)))),
      ("NSDestinationEntity", .reference(entities[relationship.destination] ?? 0)),
      ("_NSInverseRelationshipName", .reference(inverse.map { archive.add(.string($0)) } ?? 0)),
      ("NSMinCount", .value(.integer(Int64(relationship.minimumCount)))),
      (
        "NSMaxCount", .value(.integer(relationship.isToMany ? Int64(relationship.maximumCount) : 1))
      ),
      ("NSDeleteRule", .value(.integer(Int64(relationship.deleteRule.rawValue)))),
    ]
    if let inverse, let other = properties["\(relationship.destination).\(inverse)"] {
      fields.append(("NSInverseRelationship", .reference(other)))
    }
    if relationship.isOrdered { fields.append(("NSIsOrdered", .value(.bool(true)))) }
    if relationship.isOptional { fields.append(("NSIsOptional", .value(.bool(true)))) }
    if relationship.isTransient { fields.append(("NSIsTransient", .value(.bool(true)))) }
    archive.set(number, className: "NSRelationshipDescription", fields)
  }

  /// Some names are archived as mutable strings.
  private mutating func addName(_ name: String) -> Int {
    archive.add(className: "NSMutableString", [("NS.string", .value(.string(name)))])
  }

  private mutating func addDefault(_ value: ArchivedValue?) -> Int {
    switch value {
    case .bool(let value): archive.add(.bool(value))
    case .integer(let value): archive.add(.integer(value))
    case .real(let value): archive.add(.real(value))
    case .string(let value): archive.add(.string(value))
    case .date(let value): archive.add(className: "NSDate", [("NS.time", .value(.real(value)))])
    default: ArchiveWriter.null
    }
  }

  private mutating func addLists(_ lists: [[String]]) -> Int {
    let tuples = lists.map { names in
      archive.add(array: names.map { archive.add(.string($0)) }, className: "NSMutableArray")
    }
    return archive.add(array: tuples, className: "NSMutableArray")
  }

  private mutating func addIndices(_ indices: [[String]], of entity: Int) -> Int {
    let descriptions = indices.map { names in
      let elements = names.map { name in
        archive.add(
          className: "NSFetchIndexElementDescription",
          [("NSPropertyName", .reference(archive.add(.string(name))))]
        )
      }
      return archive.add(
        className: "NSFetchIndexDescription",
        [
          ("NSIndexElements", .reference(archive.add(array: elements))),
          ("NSEntity", .reference(entity)),
        ]
      )
    }
    return archive.add(array: descriptions, className: "NSMutableArray")
  }
}
