/// The restrictions on properties of a model.
struct PropertyRules {
  let declaration: PropertyDeclaration
  /// The names of the persisted properties of the class, without backticks.
  let siblings: Set<String>
  /// Whether a `let` can have accessors.
  let allowsAccessorsOfLet: Bool

  /// The errors and warnings of the declaration.
  var diagnostics: [Diagnostic] {
    guard ModelProperty.isStored(declaration) else { return lazyProblem.map { [$0] } ?? [] }
    if declaration.attribute(named: "Transient") != nil {
      return names.compactMap(transientProblem)
    }
    if let problem = shapeProblem ?? referenceProblem { return [problem] }
    return names.compactMap(nameProblem) + names.compactMap(constantProblem)
  }

  private typealias Named = (name: String, binding: Binding)

  private var names: [Named] {
    declaration.bindings.compactMap { binding in
      binding.name.map { (ModelProperty.bare($0), binding) }
    }
  }

  private var firstName: String { names.first?.name ?? "" }

  private var shapeProblem: Diagnostic? {
    if let tuple = declaration.bindings.first(where: { $0.name == nil }) {
      return .tuple(at: tuple.offset)
    }
    guard !declaration.isLet, declaration.bindings.count > 1 else { return nil }
    return .severalNames(
      names.map(\.name),
      at: declaration.bindings[1].offset,
      fixIt: declaration.split
    )
  }

  private var lazyProblem: Diagnostic? {
    guard declaration.attribute(named: "Transient") == nil else { return nil }
    return declaration.modifiers.first { $0.name == "lazy" }.map {
      .lazy(firstName, at: $0.offset)
    }
  }

  private var referenceProblem: Diagnostic? {
    declaration.modifiers.first { ["weak", "unowned"].contains($0.name) }.map {
      .reference($0.name, property: firstName, at: $0.offset)
    }
  }

  private func nameProblem(_ named: Named) -> Diagnostic? {
    guard named.name.hasPrefix("_") else { return nil }
    let sibling = String(named.name.dropFirst())
    return siblings.contains(sibling)
      ? .takenStorage(named.name, of: sibling, at: named.binding.offset) : nil
  }

  private func constantProblem(_ named: Named) -> Diagnostic? {
    guard declaration.isLet, named.binding.initialValue != nil, !allowsAccessorsOfLet else {
      return nil
    }
    let keyword = declaration.keywordOffset
    return .constantWithValue(
      named.name,
      at: named.binding.offset,
      keyword: keyword..<keyword + 3
    )
  }

  private func transientProblem(_ named: Named) -> Diagnostic? {
    let isReference = declaration.has("weak")
    let isOptional = named.binding.type.map(TypeName.isSugaredOptional) == true
    let hasValue = named.binding.initialValue != nil || isReference
    let isWrapped = declaration.attributes.contains { AttributeName.isWrapper($0.name) }
    guard !hasValue, declaration.isLet || !isOptional, !isWrapped else { return nil }
    return .transientWithoutValue(named.name, at: named.binding.offset)
  }
}

extension PropertyDeclaration {
  /// The fix-it that gives each name a declaration of its own.
  fileprivate var split: Diagnostic.FixIt? {
    guard let start = bindings.first?.offset, let end = bindings.last?.end else { return nil }
    let head = modifiers.map { $0.name + ($0.detail.map { "(\($0))" } ?? "") } + ["var"]
    let lines = bindings.enumerated().map { index, binding in
      index == 0 ? binding.text : (head + [binding.text]).joined(separator: " ")
    }
    return Diagnostic.FixIt(
      message: "declare separately",
      range: start..<end,
      replacement: lines.joined(separator: "\n")
    )
  }
}
