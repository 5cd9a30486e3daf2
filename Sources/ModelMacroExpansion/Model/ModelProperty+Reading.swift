extension ModelProperty {
  /// Returns the persisted properties of a declaration; none if it breaks a rule.
  static func all(
    in declaration: PropertyDeclaration,
    allowsAccessorsOfLet: Bool
  ) -> [ModelProperty] {
    let rules = PropertyRules(
      declaration: declaration,
      siblings: [],
      allowsAccessorsOfLet: allowsAccessorsOfLet
    )
    guard isPersisted(declaration), rules.diagnostics.isEmpty else { return [] }
    return declaration.bindings.compactMap { ModelProperty($0, of: declaration) }
  }

  private init?(_ binding: Binding, of declaration: PropertyDeclaration) {
    guard let name = binding.name else { return nil }
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
    isEphemeral = Self.isEphemeral(declaration)
    isDeprecated = declaration.attributes.contains {
      $0.name == "available" && $0.arguments?.contains("deprecated") == true
    }
    globalActor = declaration.attributes.first { AttributeName.isGlobalActor($0.name) }?.name
    declarationOffset = declaration.offset
    offset = binding.offset
  }

  /// Whether each object has a persisted value of its own.
  static func isPersisted(_ declaration: PropertyDeclaration) -> Bool {
    isStored(declaration) && declaration.attribute(named: "Transient") == nil
  }

  /// Whether each object has storage of its own for the property.
  static func isStored(_ declaration: PropertyDeclaration) -> Bool {
    // An overriding property has its storage in the superclass.
    let elsewhere: Set<String> = ["static", "class", "lazy", "override"]
    if declaration.modifiers.contains(where: { elsewhere.contains($0.name) }) { return false }
    return !declaration.bindings.contains { $0.accessors == .computed }
  }

  private static func isEphemeral(_ declaration: PropertyDeclaration) -> Bool {
    guard let options = declaration.attribute(named: "Attribute")?.arguments else { return false }
    let text = SourceText(options)
    return Lexer.tokens(of: text).contains { text[$0.range] == "ephemeral" }
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
