import OpenSwiftData

/// The `@Model` classes for a schema, as Swift source.
///
/// The types of structured values come from the store's values: the schema contains only the fact
/// that they are structured.
struct SwiftSource {
  private let schema: StoreSchema
  /// The shapes of structured values, by entity and property.
  private let shapes: [String: ValueShape]
  private var lines: [String] = ["import Foundation", "import OpenSwiftData"]

  /// Returns the source.
  ///
  /// - Parameters:
  ///   - schema: The schema.
  ///   - shapes: The shapes of the structured values of a property, by `Entity.property`.
  /// - Returns: The text of a file.
  static func text(_ schema: StoreSchema, shapes: [String: ValueShape]) -> String {
    var source = SwiftSource(schema: schema, shapes: shapes)
    for entity in schema.entities { source.addClass(entity) }
    return source.lines.joined(separator: "\n") + "\n"
  }

  private mutating func addClass(_ entity: StoreEntity) {
    let above = entity.superentity.flatMap(schema.entity(named:))
    let own = schema.ownProperties(of: entity)
    var types = types(of: above)
    types.removeDeclarations()
    let name = SwiftName.member(entity.name)
    lines += ["", "@Model"]
    let parent = above.map { ": \(SwiftName.member($0.name))" } ?? ""
    let isFinal = !schema.entities.contains { $0.superentity == entity.name }
    lines.append("\(isFinal ? "final " : "")class \(name)\(parent) {")
    addLists("Unique", entity.uniquenessConstraints, above?.uniquenessConstraints ?? [], name)
    addLists("Index", entity.indices, above?.indices ?? [], name)
    for property in own { addProperty(property, of: entity, &types) }
    addInitializer(own, inheriting: above?.properties ?? [], &types, entity)
    for declaration in types.declarations {
      lines += [""] + declaration.map { $0.isEmpty ? "" : "  \($0)" }
    }
    lines.append("}")
  }

  /// Returns the types of an entity's properties, with those that it inherits.
  private func types(of entity: StoreEntity?) -> SwiftTypes {
    guard let entity else { return SwiftTypes(in: schema) }
    var types = types(of: entity.superentity.flatMap(schema.entity(named:)))
    for property in schema.ownProperties(of: entity) {
      _ = types.name(of: property, shape(of: property, in: entity))
    }
    return types
  }

  private mutating func addLists(
    _ macro: String,
    _ lists: [[String]],
    _ inherited: [[String]],
    _ name: String
  ) {
    let own = lists.filter { !inherited.contains($0) && !$0.isEmpty }
    guard !own.isEmpty else { return }
    let paths = own.map { names in
      "[\(names.map { "\\.\(SwiftName.member($0))" }.joined(separator: ", "))]"
    }
    lines += ["  #\(macro)<\(name)>(\(paths.joined(separator: ", ")))", ""]
  }

  private mutating func addProperty(
    _ property: StoreProperty,
    of entity: StoreEntity,
    _ types: inout SwiftTypes
  ) {
    // Options come from a file; only names have a form in source.
    var options = property.options.filter(SwiftName.isPlain).map { ".\($0)" }
    if property.isUnique { options.insert(".unique", at: 0) }
    let attribute = options.isEmpty ? "" : "@Attribute(\(options.joined(separator: ", "))) "
    let relationship = relationshipAttribute(property, of: entity)
    lines.append(
      "  \(attribute)\(relationship)var \(SwiftName.member(property.name)): "
        + types.name(of: property, shape(of: property, in: entity))
    )
  }

  /// Returns the macro of a relationship; the inverse is named at one end.
  private func relationshipAttribute(_ property: StoreProperty, of entity: StoreEntity) -> String {
    guard let relationship = property.relationship else { return "" }
    var arguments: [String] = []
    if relationship.deleteRule != "nullify" {
      arguments.append("deleteRule: .\(relationship.deleteRule)")
    }
    if let inverse = relationship.inverse,
      schema.entity(named: relationship.destination)?.property(named: inverse) != nil,
      SchemaGraph.isDrawn(property, relationship, of: entity)
    {
      let type = SwiftName.member(relationship.destination)
      arguments.append("inverse: \\\(type).\(SwiftName.member(inverse))")
    }
    return arguments.isEmpty ? "" : "@Relationship(\(arguments.joined(separator: ", "))) "
  }

  private mutating func addInitializer(
    _ own: [StoreProperty],
    inheriting inherited: [StoreProperty],
    _ types: inout SwiftTypes,
    _ entity: StoreEntity
  ) {
    func parameters(_ properties: [StoreProperty]) -> [StoreProperty] {
      properties.filter { $0.attributeType != nil && !$0.isOptional }
    }
    let above = parameters(inherited)
    var texts: [String] = []
    for property in above + parameters(own) {
      let type = types.name(of: property, shape(of: property, in: entity))
      texts.append("\(SwiftName.member(property.name)): \(type)")
    }
    let overrides = entity.superentity != nil && parameters(own).isEmpty
    lines += ["", "  \(overrides ? "override " : "")init(\(texts.joined(separator: ", "))) {"]
    for property in own {
      let name = SwiftName.member(property.name)
      if property.isToMany {
        lines.append("    self.\(name) = []")
      } else if property.attributeType != nil, !property.isOptional {
        lines.append("    self.\(name) = \(name)")
      }
    }
    if entity.superentity != nil {
      let names = above.map { "\(SwiftName.member($0.name)): \(SwiftName.member($0.name))" }
      lines.append("    super.init(\(names.joined(separator: ", ")))")
    }
    lines.append("  }")
  }

  private func shape(of property: StoreProperty, in entity: StoreEntity) -> ValueShape {
    var current: StoreEntity? = entity
    while let next = current {
      if let shape = shapes["\(next.name).\(property.name)"], shape != .unknown { return shape }
      current = next.superentity.flatMap(schema.entity(named:))
    }
    return .unknown
  }
}
