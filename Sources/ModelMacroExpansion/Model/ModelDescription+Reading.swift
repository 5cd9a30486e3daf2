extension ModelDescription {
  /// - Parameters:
  ///   - declaration: The class.
  ///   - context: The enclosing types, from the innermost out.
  ///   - module: The module that declares it.
  ///   - allowsAccessorsOfLet: Whether a `let` can have accessors.
  init(
    _ declaration: TypeDeclaration,
    within context: [TypeDeclaration] = [],
    module: String? = nil,
    allowsAccessorsOfLet: Bool = false
  ) {
    var numbering = Numbering()
    name = declaration.name
    reference = Self.reference(to: declaration.name, within: context, module: module)
    nameOffset = declaration.nameOffset
    access = Access(declaration.modifiers)
    isGeneric = ([declaration] + context).contains(where: \.isGeneric)
    isIsolated = declaration.attributes.contains { AttributeName.isGlobalActor($0.name) }
    firstInherited = declaration.inheritedTypes.first
    initializers = declaration.members.all.compactMap { member in
      if case .initializer(let initializer) = member { initializer } else { nil }
    }
    mayGetInitializer = Self.mayGetInitializer(declaration)
    var count = Ordinal()
    entries = numbering.number(
      declaration.members.flatMap { Self.found($0, allowsAccessorsOfLet) },
      from: &count
    )
    blocks = numbering.blocks
    self.count = count
  }

  /// Whether a macro of another library is attached to the class, or to an initializer, or expands
  /// to members.
  private static func mayGetInitializer(_ declaration: TypeDeclaration) -> Bool {
    let harmless: Set = ["Model", "available", "objc", "objcMembers", "dynamicMemberLookup"]
    func isUnknown(_ attributes: [Attribute]) -> Bool {
      attributes.contains { attribute in
        !harmless.contains(attribute.baseName) && !AttributeName.isGlobalActor(attribute.name)
      }
    }
    let hasUnknownMember = declaration.members.all.contains { member in
      switch member {
      case .expansion(let expansion): !["Unique", "Index"].contains(expansion.name)
      case .initializer(let initializer): isUnknown(initializer.attributes)
      case .property, .other: false
      }
    }
    return isUnknown(declaration.attributes) || hasUnknownMember
  }

  fileprivate enum Found {
    case property(ModelProperty)
    case constraint(MacroExpansion)
  }

  /// Returns the name of a class within itself.
  ///
  /// Within a class called `ID`, that name refers to the type of its identifiers.
  static func reference(
    to name: String,
    within context: [TypeDeclaration],
    module: String?
  ) -> String {
    guard ModelProperty.bare(name) == "ID" else { return name }
    let outer = context.isEmpty ? module.map { [$0] } ?? [] : context.reversed().map(\.name)
    return (outer + [name]).joined(separator: ".")
  }

  private static func found(_ member: Member, _ allowsAccessorsOfLet: Bool) -> [Found] {
    switch member {
    case .property(let property):
      return ModelProperty.all(in: property, allowsAccessorsOfLet: allowsAccessorsOfLet)
        .map(Found.property)
    case .expansion(let expansion) where ["Unique", "Index"].contains(expansion.name):
      return [.constraint(expansion)]
    case .expansion, .initializer, .other:
      return []
    }
  }
}

/// Assigns an index to each property, and a number to each `#if` block with properties.
private struct Numbering {
  var blocks: [ModelDescription.Block] = []

  mutating func number(
    _ list: Branching<ModelDescription.Found>,
    from ordinal: inout Ordinal
  ) -> Branching<ModelDescription.Entry> {
    var result = Branching<ModelDescription.Entry>()
    for item in list.items {
      switch item {
      case .element(.property(let property)):
        result.items.append(.element(.property(property, ordinal)))
        if !property.isEphemeral { ordinal.count += 1 }
      case .element(.constraint(let constraint)):
        result.items.append(.element(.constraint(constraint)))
      case .conditional(let branches):
        result.items.append(.conditional(number(branches, from: &ordinal)))
      }
    }
    return result
  }

  private mutating func number(
    _ branches: [Branching<ModelDescription.Found>.Branch],
    from ordinal: inout Ordinal
  ) -> [Branching<ModelDescription.Entry>.Branch] {
    let start = ordinal
    var counts: [(condition: String, count: Ordinal)] = []
    let result = branches.map { branch in
      var inside = start
      let content = number(branch.content, from: &inside)
      let own = Ordinal(
        count: inside.count - start.count,
        blocks: Array(inside.blocks.dropFirst(start.blocks.count))
      )
      counts.append((branch.condition, own))
      return Branching<ModelDescription.Entry>.Branch(
        condition: branch.condition,
        content: content
      )
    }
    guard counts.contains(where: { $0.count != Ordinal() }) else { return result }
    blocks.append(ModelDescription.Block(number: blocks.count, branches: counts))
    ordinal.blocks.append(blocks.count - 1)
    return result
  }
}
