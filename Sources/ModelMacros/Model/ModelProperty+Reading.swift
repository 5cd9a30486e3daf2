extension ModelProperty {
  /// The persisted property that a declaration asks for; nil when it asks for none.
  init?(_ declaration: PropertyDeclaration) {
    guard Self.isStored(declaration), declaration.attribute(named: "Transient") == nil,
      let binding = declaration.bindings.first, let name = binding.name
    else { return nil }
    self.name = name
    type = binding.type
    initialValue = binding.initialValue
    storage = Storage(type: binding.type, initialValue: binding.initialValue)
    isLet = declaration.isLet
    if case .observers(let observers) = binding.accessors {
      self.observers = observers
    } else {
      observers = []
    }
    metadata = Self.metadata(declaration)
    offset = binding.offset
    declarationOffset = declaration.offset
  }

  /// Whether each object has a value of its own that the model could persist.
  static func isStored(_ declaration: PropertyDeclaration) -> Bool {
    let sharing: Set<String> = ["static", "class", "lazy"]
    if declaration.modifiers.contains(where: { sharing.contains($0.name) }) { return false }
    return !declaration.bindings.contains { $0.accessors == .computed }
  }

  private static func metadata(_ declaration: PropertyDeclaration) -> String? {
    for name in ["Attribute", "Relationship"] {
      if let attribute = declaration.attribute(named: name) {
        return "ModelLayer.Schema.\(name)(\(attribute.arguments ?? ""))"
      }
    }
    return nil
  }
}
