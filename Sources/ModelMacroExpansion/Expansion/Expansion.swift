/// One request for an attached macro, by macro and role.
struct Expansion {
  private let request: AttachedExpansion
  private let text: SourceText
  private var diagnostics: [Diagnostic] = []

  private init(_ request: AttachedExpansion) {
    self.request = request
    text = SourceText(request.declSyntax)
  }

  /// Returns the response to a request, with an empty expansion for an unknown macro or role.
  static func response(
    to request: AttachedExpansion,
    after lastModel: inout LastModel
  ) -> PluginMessage {
    var expansion = Expansion(request)
    let source = expansion.source(after: &lastModel)
    return .expandMacroResult(
      expandedSource: source,
      diagnostics: expansion.diagnostics.map(expansion.located)
    )
  }

  private mutating func source(after lastModel: inout LastModel) -> String {
    switch (request.macro.typeName, request.macroRole) {
    case ("ModelMacro", "member"): modelMembers()
    case ("ModelMacro", "memberAttribute"): memberAttribute(after: &lastModel)
    case ("ModelMacro", "extension"): conformances(of: "@Model", "class", "classes")
    case ("ModelActorMacro", "member"): modelActorMembers()
    case ("ModelActorMacro", "extension"): conformances(of: "@ModelActor", "actor", "actors")
    case ("PersistedPropertyMacro", "peer"), ("PersistedReferenceMacro", "peer"):
      property.map { PeerExpansion.source(of: $0, initially: storedAtFirst(of: $0)).text } ?? ""
    case ("PersistedPropertyMacro", "accessor"), ("PersistedReferenceMacro", "accessor"):
      accessors()
    default: ""
    }
  }

  private mutating func modelMembers() -> String {
    guard let declaration = DeclarationReader.type(in: text), declaration.keyword == "class" else {
      return ""
    }
    let isRoot = requestedConformances.contains { $0.hasSuffix("PersistentModel") }
    let expansion = MemberExpansion(
      ModelDescription(
        declaration,
        within: context,
        module: module,
        allowsAccessorsOfLet: request.allowsAccessorsOfLet
      ),
      in: text,
      isRoot: isRoot
    )
    diagnostics += expansion.diagnostics
    return expansion.source.text
  }

  private mutating func memberAttribute(after lastModel: inout LastModel) -> String {
    guard let property = DeclarationReader.property(in: text),
      let parent = request.parentDeclSyntax,
      let model = lastModel.model(
        in: parent,
        allowsAccessorsOfLet: request.allowsAccessorsOfLet
      )
    else { return "" }
    let rules = PropertyRules(
      declaration: property,
      siblings: Set(model.properties.map(\.bareName)),
      allowsAccessorsOfLet: request.allowsAccessorsOfLet
    )
    let problems = rules.diagnostics
    guard problems.isEmpty else {
      if lastModel.refuses(request.declSyntax) { diagnostics += problems }
      return ""
    }
    let found = ModelProperty.all(
      in: property,
      allowsAccessorsOfLet: request.allowsAccessorsOfLet
    )
    guard found.count == 1, !found[0].isConstant else { return "" }
    let offset = text.offset + property.offset - parent.location.offset
    guard let ordinal = model.ordinal(of: found[0].name, at: offset) else { return "" }
    var arguments = ["index: \"\(model.index(at: ordinal))\""]
    if let name = found[0].basicName {
      arguments.append("kind: ModelLayer._kind(of: \(name).self)")
    } else if found[0].mayStartEmpty, model.leavesUnset(found[0]) {
      arguments.append(Self.startsEmpty)
    }
    if model.startsWithValue(found[0]) { arguments.append(Self.startsWithValue) }
    return "@ModelLayer._PersistedProperty(\(arguments.joined(separator: ", ")))"
  }

  /// Returns the extensions of a type.
  ///
  /// The compiler requests these of every kind of type, so wrong kinds are refused here.
  private mutating func conformances(
    of macro: String,
    _ keyword: String,
    _ plural: String
  ) -> String {
    guard let declaration = DeclarationReader.type(in: text) else { return "" }
    guard declaration.keyword == keyword else {
      diagnostics.append(.wrongKind(declaration, for: macro, keyword, plural))
      return ""
    }
    let expansion = ExtensionExpansion(
      type: request.extendedTypeSyntax?.source ?? declaration.name,
      conformances: requestedConformances,
      availability: declaration.attributes.filter { $0.name == "available" }
    )
    return expansion.source.text
  }

  private func modelActorMembers() -> String {
    guard let declaration = DeclarationReader.type(in: text), declaration.keyword == "actor" else {
      return ""
    }
    return ModelActorExpansion.source(of: declaration).text
  }

  /// The argument of a property that an initializer may leave unset.
  private static let startsEmpty = "startsEmpty: true"

  /// The argument of a property that no initializer sets.
  private static let startsWithValue = "startsWithValue: true"

  private func attributeHas(_ argument: String) -> Bool {
    request.attributeSyntax.source.contains(argument)
  }

  /// Returns the value with which the storage of a property starts, or `nil` if only initializers
  /// set it.
  private func storedAtFirst(of property: ModelProperty) -> String? {
    if attributeHas(Self.startsEmpty) { return property.stored("[]") }
    guard attributeHas(Self.startsWithValue) else { return nil }
    return property.stored(property.initialValue?.text ?? "nil")
  }

  private var property: ModelProperty? {
    // Only properties that may have accessors get the attribute.
    var property = DeclarationReader.property(in: text).flatMap {
      ModelProperty.all(in: $0, allowsAccessorsOfLet: true).first
    }
    if request.macro.typeName == "PersistedReferenceMacro" { property?.useSlot() }
    return property
  }

  private func accessors() -> String {
    guard let property else { return "" }
    let attribute = SourceText(request.attributeSyntax)
    let index = Lexer.tokens(of: attribute).first { $0.kind == .string }
      .map { attribute[$0.range].filter { $0 != "\"" } }
    let type =
      context.first.map {
        ModelDescription.reference(to: $0.name, within: Array(context.dropFirst()), module: module)
      } ?? "Self"
    let expansion = AccessorExpansion(
      property: property,
      index: property.ephemeralIndex ?? index ?? "0",
      type: type,
      startsWithValue: attributeHas(Self.startsWithValue)
    )
    return "{\n\(expansion.source.text)\n}"
  }

  private var module: String? {
    request.declSyntax.location.fileID?.split(separator: "/").first.map(String.init)
  }

  /// The enclosing types of the declaration, from the innermost out.
  private var context: [TypeDeclaration] {
    (request.lexicalContext ?? []).compactMap { DeclarationReader.type(in: SourceText($0)) }
  }

  /// The missing protocols, which the compiler lists on a synthetic structure.
  private var requestedConformances: [String] {
    request.conformanceListSyntax
      .flatMap { DeclarationReader.type(in: SourceText($0)) }?.inheritedTypes ?? []
  }

  private func located(_ diagnostic: Diagnostic) -> PluginDiagnostic {
    PluginDiagnostic(
      message: diagnostic.message,
      severity: diagnostic.isWarning ? "warning" : "error",
      position: PluginDiagnostic.Position(
        fileName: text.fileName,
        offset: text.offset + diagnostic.offset
      ),
      fixIts: diagnostic.fixIts.map(located)
    )
  }

  private func located(_ fixIt: Diagnostic.FixIt) -> PluginDiagnostic.FixIt {
    let range = PluginDiagnostic.Range(
      fileName: text.fileName,
      startOffset: text.offset + fixIt.range.lowerBound,
      endOffset: text.offset + fixIt.range.upperBound
    )
    let change = PluginDiagnostic.FixIt.Change(range: range, newText: fixIt.replacement)
    return PluginDiagnostic.FixIt(message: fixIt.message, changes: [change])
  }
}
