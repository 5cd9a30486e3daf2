extension MemberExpansion {
  /// The list of the class's own properties, without inherited ones.
  ///
  /// Key paths to properties that are isolated to an actor can be written only in code with the
  /// same isolation. A macro cannot always see whether the class is isolated. A function with the
  /// isolation of the class, whichever that is, therefore writes them for a nonisolated one.
  var metadataSource: Source {
    var source = Source()
    let type = "[ModelLayer.Schema.PropertyMetadata]"
    if model.properties.contains(where: \.isDeprecated) {
      // Only deprecated code may name deprecated properties without a warning.
      source.add(Self.deprecation)
    }
    let actor = model.properties.compactMap(\.globalActor).first.map { "@\($0) " } ?? ""
    guard !model.isGeneric || model.isIsolated || !actor.isEmpty else {
      // Such a function would capture the generic arguments, of which the compiler warns.
      source.add("\(overridable)class var schemaMetadata: \(type)") { source in
        addTypes(to: &source)
        addEntries(to: &source)
      }
      return source
    }
    let maker = "_$metadata_\(model.bareName)"
    let registrar = "_$types_\(model.bareName)"
    var types = Source()
    addTypes(to: &types)
    source.add("\(overridable)class var schemaMetadata: \(type)") { source in
      if !types.lines.isEmpty {
        source.add(
          "ModelLayer._unisolated(\(model.reference).\(registrar), as: ModelLayer._Names.Void.self)"
        )
      }
      source.add("return ModelLayer._unisolated(\(model.reference).\(maker))")
    }
    if source.lines.first == Self.deprecation { source.add(Self.deprecation) }
    source.add("\(actor)private static func \(maker)() -> \(type)") { addEntries(to: &$0) }
    guard !types.lines.isEmpty else { return source }
    source.add(
      "\(model.isIsolated ? "" : "@ModelLayer._Names.MainActor ")private static func \(registrar)()"
    ) { source in
      source.add(types)
    }
    return source
  }

  private static let deprecation = "@available(*, deprecated)"

  private func addEntries(to source: inout Source) {
    if model.entries.isConditional { addStatements(to: &source) } else { addList(to: &source) }
  }

  /// Adds the entries as statements, since a list in brackets cannot contain `#if`.
  private func addStatements(to source: inout Source) {
    source.add("var metadata: [ModelLayer.Schema.PropertyMetadata] = []")
    source.add(each: model.entries) { entry, source in
      source.add("metadata.append(\(metadata(of: entry)))")
    }
    source.add("return metadata")
  }

  private func addList(to source: inout Source) {
    let entries = model.entries.all
    guard !entries.isEmpty else {
      source.add("return []")
      return
    }
    source.add("return [")
    for entry in entries { source.add("  \(metadata(of: entry)),") }
    source.add("]")
  }

  private func metadata(of entry: ModelDescription.Entry) -> String {
    switch entry {
    case .property(let property, _):
      return metadata(
        name: property.bareName,
        path: property.name,
        value: defaultValue(of: property),
        schema: property.metadata ?? "nil"
      )
    case .constraint(let constraint):
      let written = constraint.genericArguments ?? model.name
      let type = written == model.name ? model.reference : written
      return metadata(
        name: "SwiftData.Schema.\(constraint.name)",
        path: "self",
        value: "nil",
        schema: "ModelLayer.Schema.\(constraint.name)<\(type)>(\(constraint.arguments))"
      )
    }
  }

  private func metadata(name: String, path: String, value: String, schema: String) -> String {
    let name = name.replacing("\"", with: "\\\"")
    return """
      ModelLayer.Schema.PropertyMetadata(name: "\(name)", keypath: \\\(model.reference).\(path), \
      default: \(value), metadata: \(schema))
      """
  }

  private func defaultValue(of property: ModelProperty) -> String {
    guard let value = property.initialValue else { return "nil" }
    let type = property.type.map(TypeName.withoutImplicitUnwrapping)
    if value.isBranching {
      return "{ let value\(type.map { ": \($0)" } ?? "") = \(value.inline); return value as Any }"
    }
    return "{ ((\(value.inline))\(type.map { " as \($0)" } ?? "")) as Any }"
  }
}
