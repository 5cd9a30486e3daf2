extension MemberExpansion {
  /// Adds statements that register the types of attributes.
  ///
  /// A module may isolate all types to the main actor, but that does not isolate a model class:
  /// only code with explicit isolation can name their conformances.
  func addTypes(to source: inout Source) {
    let statements = model.entries.flatMap { entry -> [Source] in
      guard case .property(let property, _) = entry, case .slot(let written) = property.storage
      else {
        return []
      }
      return [registration(of: property, as: written)]
    }
    guard !statements.items.isEmpty else { return }
    source.add(each: statements) { statement, source in source.add(statement) }
  }

  /// Returns the registration of a type.
  ///
  /// If the type is neither Codable nor a model, the compiler selects the unavailable function, and
  /// reports it at the declaration of the property.
  private func registration(of property: ModelProperty, as written: String?) -> Source {
    let value = property.initialValue?.inline ?? ""
    let type = written.map { "(\($0)).self" } ?? "ModelLayer._type(of: { \(value) })"
    let check = property.checkName
    let line = text.line(at: property.offset)
    return Source(
      "func \(check)(_: ModelLayer._Storable) {}",
      "@available(*, unavailable, message: \(Self.literal(Self.refusal(of: property, written))))",
      "func \(check)(_: ModelLayer._Unstorable) {}",
      "#sourceLocation(file: \(Self.literal(text.fileName)), line: \(line))",
      "ModelLayer._register(\(type), \(check))",
      "#sourceLocation()"
    )
  }

  private static func refusal(of property: ModelProperty, _ type: String?) -> String {
    let name = type.map { " " + onOneLine($0) }
    return "the type\(name ?? "") of '\(property.bareName)' is neither Codable nor a model; make "
      + "the type Codable, or mark the property @Transient"
  }

  static func onOneLine(_ type: String) -> String {
    type.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Returns a string as a literal.
  static func literal(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }
}
