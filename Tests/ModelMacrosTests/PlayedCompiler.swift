@testable import ModelMacroExpansion

/// Asks the plugin what the compiler would ask about one declaration.
struct PlayedCompiler {
  let text: String
  /// The language mode that the compiler says it is in; older compilers do not say.
  var languageMode: Int?

  /// All responses, each under its role and name.
  var transcript: String {
    guard let declaration else { return "no declaration\n" }
    let macro = declaration.keyword == "actor" ? "ModelActorMacro" : "ModelMacro"
    var sections = [section("member", ask(macro, "member"))]
    if macro == "ModelMacro" {
      for property in properties(of: declaration) { sections += sectionsOf(property) }
    }
    sections.append(section("extension", ask(macro, "extension")))
    return sections.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The errors of all responses, in the order of their positions.
  var diagnostics: [PluginDiagnostic] {
    guard let declaration else { return [] }
    let macro = text.contains("@ModelActor") ? "ModelActorMacro" : "ModelMacro"
    var responses = [ask(macro, "member"), ask(macro, "extension")]
    for property in properties(of: declaration) {
      responses.append(ask(macro, "memberAttribute", about: property))
    }
    return responses.flatMap(\.diagnostics).sorted { $0.position.offset < $1.position.offset }
  }

  private var declaration: TypeDeclaration? { DeclarationReader.type(in: SourceText(text)) }

  private func properties(of declaration: TypeDeclaration) -> [PropertyDeclaration] {
    declaration.members.all.compactMap { member in
      if case .property(let property) = member { property } else { nil }
    }
  }

  private func sectionsOf(_ property: PropertyDeclaration) -> [String] {
    let name = property.bindings.compactMap(\.name).joined(separator: ", ")
    let attribute = ask("ModelMacro", "memberAttribute", about: property)
    guard attribute.source.contains("_PersistedProperty") else {
      return [section("memberAttribute \(name)", attribute)]
    }
    return [section("memberAttribute \(name)", attribute)]
      + ["peer", "accessor"].map { role in
        section(
          "\(role) \(name)",
          ask("PersistedPropertyMacro", role, about: property, attribute: attribute.source)
        )
      }
  }

  private func section(_ title: String, _ response: Response) -> String {
    guard !response.source.isEmpty || !response.diagnostics.isEmpty else { return "" }
    let errors = response.diagnostics.map { "error at \($0.position.offset): \($0.message)\n" }
    return "---- \(title)\n\(errors.joined())\(response.source)\n"
  }

  private struct Response {
    var source = ""
    var diagnostics: [PluginDiagnostic] = []
  }

  private func ask(
    _ macro: String,
    _ role: String,
    about property: PropertyDeclaration? = nil,
    attribute: String = "@Model"
  ) -> Response {
    let request = AttachedExpansion(
      macro: MacroReference(moduleName: "ModelMacros", typeName: macro, name: "Model "),
      macroRole: role,
      attributeSyntax: syntax(attribute, at: 0),
      declSyntax: property.map(syntax) ?? syntax(text, at: 0),
      parentDeclSyntax: property == nil ? nil : syntax(text, at: 0),
      extendedTypeSyntax: syntax(declaration?.name ?? "", at: 0),
      conformanceListSyntax: syntax("struct Placeholder: \(conformances) {}", at: 0),
      lexicalContext: property == nil ? [] : [syntax(text, at: 0)],
      staticBuildConfiguration: languageMode.map {
        #"{"features":["Macros"],"languageMode":{"components":[\#($0),10]}}"#
      }
    )
    guard case .expandMacroResult(let source, let found) = respond(to: request) else {
      return Response()
    }
    return Response(source: source ?? "", diagnostics: found)
  }

  private var conformances: String {
    if text.contains("@ModelActor") { return "ModelActor" }
    // The compiler leaves out what a superclass conforms to.
    return text.contains("The superclass is a model.")
      ? "Sendable" : "PersistentModel, Observable, Sendable"
  }

  /// The compiler sends a member from the end of what comes before, white space included.
  private func syntax(_ property: PropertyDeclaration) -> HostSyntax {
    let source = SourceText(text)
    let end = property.bindings.last?.end ?? source.bytes.count
    var start = property.offset
    while start > 0, Byte.isSpace(source[start - 1]) { start -= 1 }
    return syntax(source[start..<max(start, end)], at: start)
  }

  private func syntax(_ source: String, at offset: Int) -> HostSyntax {
    HostSyntax(
      source: source,
      location: HostSyntax.Location(
        fileName: "Fixture.swift",
        fileID: "Fixtures/Fixture.swift",
        offset: offset,
        line: SourceText(text).line(at: offset)
      )
    )
  }
}

/// The response of a plugin that has just started.
func respond(to request: [UInt8]) -> [UInt8] {
  var lastModel = LastModel()
  return Plugin.response(to: request, after: &lastModel)
}

/// The response of a plugin that has just started.
func respond(to request: AttachedExpansion) -> PluginMessage {
  var lastModel = LastModel()
  return Expansion.response(to: request, after: &lastModel)
}
