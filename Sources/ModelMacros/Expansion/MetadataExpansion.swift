extension MemberExpansion {
  /// Adds the list of what the class declares itself, without what it inherits.
  func addMetadata(to source: inout Source) {
    let overriding = superclass == nil ? "" : "override "
    let head =
      "nonisolated \(model.access.overridable)\(overriding)class var schemaMetadata: "
      + "[ModelLayer.Schema.PropertyMetadata]"
    source.add(head) { source in
      if model.entries.isConditional {
        source.add("var metadata: [ModelLayer.Schema.PropertyMetadata] = []")
        source.add(each: model.entries) { entry, source in
          source.add(metadata(of: entry).map { "metadata.append(\($0))" } ?? "")
        }
        source.add("return metadata")
      } else {
        source.add("[")
        source.add(model.entries.all.compactMap(metadata).map { "  \($0)," })
        source.add("]")
      }
    }
  }

  private func metadata(of entry: ModelDescription.Entry) -> String? {
    switch entry {
    case .property(let property, _):
      return """
        ModelLayer.Schema.PropertyMetadata(name: "\(property.bareName)", \
        keypath: \\\(model.name).\(property.name), default: \(defaultValue(of: property)), \
        metadata: \(property.metadata ?? "nil"))
        """
    case .constraint(let constraint):
      guard let property = model.properties.first else { return nil }
      let type = constraint.genericArguments ?? model.name
      return """
        ModelLayer.Schema.PropertyMetadata(name: "SwiftData.Schema.\(constraint.name)", \
        keypath: \\\(model.name).\(property.name), default: nil, \
        metadata: ModelLayer.Schema.\(constraint.name)<\(type)>(\(constraint.arguments)))
        """
    }
  }

  private func defaultValue(of property: ModelProperty) -> String {
    guard let value = property.initialValue else { return "nil" }
    let type = property.type.map { " as \(TypeName.withoutImplicitUnwrapping($0))" } ?? ""
    return "{ ((\(value.text))\(type)) as Any }"
  }
}
