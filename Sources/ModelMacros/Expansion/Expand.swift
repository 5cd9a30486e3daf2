/// Answers a request for an attached macro.
func expand(_ request: AttachedExpansion) -> PluginMessage {
  let expansion = Expansion(request)
  do {
    let source = try expansion.source()
    return .expandMacroResult(expandedSource: source, diagnostics: [])
  } catch let error as Diagnostic {
    return .expandMacroResult(expandedSource: "", diagnostics: [expansion.located(error)])
  } catch {
    return .expandMacroResult(expandedSource: nil, diagnostics: [])
  }
}

/// One request, by macro and role.
struct Expansion {
  let request: AttachedExpansion
  private let text: SourceText

  init(_ request: AttachedExpansion) {
    self.request = request
    text = SourceText(request.declSyntax)
  }

  func source() throws -> String {
    switch (request.macro.typeName, request.macroRole) {
    case ("ModelMacro", "member"): try members()
    case ("ModelMacro", "memberAttribute"): try memberAttribute()
    case ("ModelMacro", "extension"), ("ModelActorMacro", "extension"): conformances()
    case ("PersistedPropertyMacro", "peer"): try peer()
    case ("PersistedPropertyMacro", "accessor"): try accessors()
    default: ""
    }
  }

  func located(_ diagnostic: Diagnostic) -> PluginDiagnostic {
    PluginDiagnostic(
      message: diagnostic.message,
      position: PluginDiagnostic.Position(
        fileName: text.fileName,
        offset: text.offset + diagnostic.offset
      )
    )
  }

  private func members() throws -> String {
    guard let declaration = DeclarationReader.type(in: text) else { return "" }
    let model = ModelDescription(declaration)
    let isRoot = requestedConformances.contains { $0.hasSuffix("PersistentModel") }
    return MemberExpansion(model, isRoot: isRoot).source.text
  }

  private func memberAttribute() throws -> String {
    guard let parent = request.parentDeclSyntax,
      let declaration = DeclarationReader.type(in: SourceText(parent)),
      let property = DeclarationReader.property(in: text),
      let name = ModelProperty(property)?.name
    else { return "" }
    let model = ModelDescription(declaration)
    for case .property(let property, let ordinal) in model.entries.all where property.name == name {
      return "@ModelLayer._PersistedProperty(index: \"\(model.index(at: ordinal))\")"
    }
    return ""
  }

  private func conformances() -> String {
    let type = request.extendedTypeSyntax?.source ?? ""
    return ExtensionExpansion.source(type: type, conformances: requestedConformances).text
  }

  private func peer() throws -> String {
    guard let declaration = DeclarationReader.property(in: text),
      let property = ModelProperty(declaration)
    else { return "" }
    return PeerExpansion.source(of: property).text
  }

  private func accessors() throws -> String {
    guard let declaration = DeclarationReader.property(in: text),
      let property = ModelProperty(declaration)
    else { return "" }
    let attribute = SourceText(request.attributeSyntax)
    let index = Lexer.tokens(of: attribute).first { $0.kind == .string }
      .map { attribute[$0.range].filter { $0 != "\"" } }
    return "{\n" + AccessorExpansion(property: property, index: index ?? "0").source.text + "\n}"
  }

  /// The protocols that the compiler still misses, which it lists on a made-up structure.
  private var requestedConformances: [String] {
    let list = request.conformanceListSyntax.map { DeclarationReader.type(in: SourceText($0)) }
    return list??.inheritedTypes ?? []
  }
}
