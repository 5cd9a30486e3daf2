/// A cache of the class that was read last.
///
/// The compiler sends the whole class with each of its members, one after the other. Reading it
/// once keeps the work for a class in proportion to its length.
struct LastModel {
  private var source: String?
  private var model: ModelDescription?
  private var refused: HostSyntax.Location?

  /// Returns the model that a source declares, or `nil` if it declares none.
  mutating func model(in text: HostSyntax, allowsAccessorsOfLet: Bool = false) -> ModelDescription?
  {
    if source == text.source { return model }
    let declaration = DeclarationReader.type(in: SourceText(text))
    source = text.source
    model =
      declaration?.keyword == "class"
      ? declaration.map {
        ModelDescription($0, allowsAccessorsOfLet: allowsAccessorsOfLet)
      } : nil
    return model
  }

  /// Returns whether a declaration is refused for the first time.
  ///
  /// The compiler requests the expansion of a declaration of several variables once for each of
  /// them.
  mutating func refuses(_ declaration: HostSyntax) -> Bool {
    defer { refused = declaration.location }
    return refused != declaration.location
  }
}
