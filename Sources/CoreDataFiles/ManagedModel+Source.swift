import Foundation

extension ManagedModel {
  /// Reads the source of a model: the file `contents` of an `.xcdatamodel`.
  ///
  /// - Throws: ``FormatError`` if the XML is malformed, is no model, or refers to a missing entity.
  package init(source bytes: [UInt8], limits: ReadingLimits = ReadingLimits()) throws(FormatError) {
    let root = try XMLElement(bytes, limits: limits)
    guard root.name == "model" else { throw FormatError(.model, "its root is '\(root.name)'") }
    let identifier = root.attributes["userDefinedModelVersionIdentifier"] ?? ""
    var entities: [Entity] = []
    for element in root.children("entity") { entities.append(try Entity(source: element)) }
    self.init(entities: entities, versionIdentifiers: identifier.isEmpty ? [] : [identifier])
    try check()
  }
}

extension ManagedModel.Entity {
  fileprivate init(source element: XMLElement) throws(FormatError) {
    self.init(name: element.attributes["name"] ?? "")
    // A leading period denotes the module of the program.
    let className = element.attributes["representedClassName"]?.drop { $0 == "." }
    self.className = className.map(String.init) == name ? nil : className.map(String.init)
    superentity = element.attributes["parentEntity"]
    isAbstract = element.flag("isAbstract")
    originalName = element.attributes["elementID"]
    for attribute in element.children("attribute") {
      attributes.append(try ManagedModel.Attribute(source: attribute, of: name))
      if attribute.flag("indexed") { indices.append(attributes.suffix(1).map(\.name)) }
    }
    for relationship in element.children("relationship") {
      relationships.append(try ManagedModel.Relationship(source: relationship, of: name))
    }
    attributes.sort { $0.name < $1.name }
    relationships.sort { $0.name < $1.name }
    uniquenessConstraints = element.children("uniquenessConstraints")
      .flatMap { $0.children("uniquenessConstraint") }
      .map { $0.children("constraint").compactMap { $0.attributes["value"] } }
    for index in element.children("fetchIndex") {
      // Elements of expressions have no property.
      let names = index.children("fetchIndexElement").map { $0.attributes["property"] ?? "" }
      if !names.contains(""), !indices.contains(names) { indices.append(names) }
    }
    indices += element.children("compoundIndexes").flatMap { $0.children("compoundIndex") }
      .map { $0.children("index").compactMap { $0.attributes["value"] } }
    indices.sort { $0.lexicographicallyPrecedes($1) }
  }
}

extension ManagedModel.Attribute {
  private static let types: [String: ManagedModel.AttributeType] = [
    "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64,
    "Decimal": .decimal, "Double": .double, "Float": .float, "String": .string,
    "Boolean": .boolean, "Date": .date, "Binary": .binary, "UUID": .uuid, "URI": .uri,
    "Transformable": .transformable,
  ]

  fileprivate init(source element: XMLElement, of entity: String) throws(FormatError) {
    let name = element.attributes["name"] ?? ""
    var type = ManagedModel.AttributeType.undefined
    if let typeName = element.attributes["attributeType"] {
      guard let found = Self.types[typeName] else {
        throw FormatError(
          .model,
          "'\(entity).\(name)' has the type '\(typeName)', which is undefined in model sources; "
            + "use the compiled model"
        )
      }
      type = found
    }
    self.init(name: name, type: type)
    isOptional = element.flag("optional")
    isTransient = element.flag("transient")
    allowsExternalStorage = element.flag("allowsExternalBinaryDataStorage")
    preservesValueOnDeletion = element.flag("preserveAfterDeletion")
    transformerName = element.attributes["valueTransformerName"]
    originalName = element.attributes["elementID"]
    defaultValue = defaultValue(element)
  }

  private func defaultValue(_ element: XMLElement) -> ArchivedValue? {
    if let interval = element.attributes["defaultDateTimeInterval"] {
      return Double(interval).map { .date($0) }
    }
    guard let text = element.attributes["defaultValueString"] else { return nil }
    switch type {
    case .integer16, .integer32, .integer64: return Int64(text).map { .integer($0) }
    case .double, .float: return Double(text).map { .real($0) }
    case .decimal: return Decimal(string: text, locale: nil).map { .decimal($0) }
    case .boolean: return .bool(text == "YES" || text == "1")
    case .uuid: return UUID(uuidString: text).map { .uuid($0) }
    case .string: return .string(text)
    case .uri: return .url(text)
    default: return nil
    }
  }
}

extension ManagedModel.Relationship {
  fileprivate init(source element: XMLElement, of entity: String) throws(FormatError) {
    let name = element.attributes["name"] ?? ""
    guard let destination = element.attributes["destinationEntity"] else {
      throw FormatError(.model, "'\(entity).\(name)' has no destination")
    }
    self.init(name: name, destination: destination)
    inverse = element.attributes["inverseName"]
    isToMany = element.flag("toMany")
    isOrdered = element.flag("ordered") && isToMany
    isOptional = element.flag("optional")
    isTransient = element.flag("transient")
    minimumCount = element.attributes["minCount"].flatMap { Int($0) } ?? 0
    maximumCount = element.attributes["maxCount"].flatMap { Int($0) } ?? (isToMany ? 0 : 1)
    originalName = element.attributes["elementID"]
    deleteRule =
      switch element.attributes["deletionRule"] {
      case "No Action": .noAction
      case "Cascade": .cascade
      case "Deny": .deny
      default: .nullify
      }
  }
}

extension XMLElement {
  fileprivate func flag(_ name: String) -> Bool { attributes[name] == "YES" }
}
