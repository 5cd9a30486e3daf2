/// The class that was read last.
///
/// The compiler sends the whole class along with each of its members, one after the other: reading
/// it once keeps the work for a class in proportion to its length.
struct LastModel {
  private var source: String?
  private var model: ModelDescription?
  private var refused: HostSyntax.Location?

  /// The model that a text declares; nil when it declares none.
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

  /// Whether a declaration is refused for the first time.
  ///
  /// The compiler asks about a declaration of several variables once for each of them.
  mutating func refuses(_ declaration: HostSyntax) -> Bool {
    defer { refused = declaration.location }
    return refused != declaration.location
  }
}
