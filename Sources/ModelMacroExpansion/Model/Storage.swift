/// The storage of a property's value.
enum Storage: Equatable {
  /// The value itself: the store reads and writes this type without a type check.
  case plain(type: String)
  /// A slot, which can be empty; the type as written, or `nil` if the compiler infers it.
  case slot(type: String?)

  /// Chooses the storage by the declared type, or by the literal if no type is declared.
  init(type: String?, initialValue: InitialValue?) {
    if let type {
      let written = TypeName.withoutImplicitUnwrapping(type)
      self = TypeName.isPlain(written) ? .plain(type: written) : .slot(type: written)
    } else if let literal = initialValue?.literal {
      self = .plain(type: Self.type(of: literal))
    } else {
      self = .slot(type: nil)
    }
  }

  private static func type(of literal: InitialValue.Literal) -> String {
    switch literal {
    case .string: "ModelLayer._Names.String"
    case .integer: "ModelLayer._Names.Int"
    case .float: "ModelLayer._Names.Double"
    case .boolean: "ModelLayer._Names.Bool"
    }
  }
}

/// The classification of types by their names.
enum TypeName {
  private static let plain: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "Float", "Double", "Bool", "String", "Date", "Data", "UUID", "URL", "Decimal", "Character",
  ]

  /// Whether a store reads this type, or an optional of it, directly.
  static func isPlain(_ type: String) -> Bool {
    plain.contains(unqualified(wrapped(type) ?? normalized(type)))
  }

  /// Returns the name of a basic type without its optional, or `nil` for any other type.
  ///
  /// A qualified name cannot be that of a model.
  static func basicName(_ type: String) -> String? {
    let name = wrapped(type) ?? normalized(type)
    return plain.contains(name) ? name : nil
  }

  /// Whether a type or an initial value looks like that of an array; one of dictionaries does not.
  static func mayBeArray(_ text: String) -> Bool {
    ["[", "Array<"].contains { text.contains($0) } && !text.contains(":")
  }

  /// Whether a type is clearly an array, and no optional of one.
  static func isArray(_ type: String) -> Bool {
    let isWritten =
      type.hasPrefix("[") && type.hasSuffix("]") || type.hasPrefix("Array<") && type.hasSuffix(">")
    return isWritten && !type.contains(":")
  }

  /// Whether a variable of this type starts as `nil`: with `?` and `!`, but not with `Optional<…>`.
  static func isSugaredOptional(_ type: String) -> Bool {
    type.hasSuffix("?") || type.hasSuffix("!")
  }

  /// Whether a variable of this plain type could start as `nil` by itself.
  static func mayStartAsNil(_ type: String) -> Bool { type.contains("?") }

  /// Returns `T!` as `T?`: only a property may be declared with an exclamation mark.
  static func withoutImplicitUnwrapping(_ type: String) -> String {
    type.hasSuffix("!") ? type.dropLast() + "?" : type
  }

  /// Returns the type inside an optional, or `nil` for any other type.
  private static func wrapped(_ type: String) -> String? {
    let type = normalized(type)
    if type.hasSuffix("?") || type.hasSuffix("!") { return normalized(String(type.dropLast())) }
    for prefix in ["Optional<", "Swift.Optional<"] where type.hasPrefix(prefix) {
      guard type.hasSuffix(">") else { return nil }
      return normalized(String(type.dropFirst(prefix.count).dropLast()))
    }
    return nil
  }

  private static func unqualified(_ type: String) -> String {
    for prefix in ["Swift.", "Foundation.", "FoundationEssentials."] where type.hasPrefix(prefix) {
      return String(type.dropFirst(prefix.count))
    }
    return type
  }

  /// Returns the type without white space, comments and parentheses around the whole of it.
  private static func normalized(_ type: String) -> String {
    let text = SourceText(type)
    var tokens = Lexer.tokens(of: text).map { text[$0.range] }
    while tokens.first == "(", tokens.last == ")", closesLast(tokens) {
      tokens = Array(tokens.dropFirst().dropLast())
    }
    return tokens.joined(separator: isApart(tokens) ? " " : "")
  }

  /// Whether tokens need separating spaces.
  ///
  /// `any P` does; such a type is never plain, so any difference will do.
  private static func isApart(_ tokens: [String]) -> Bool {
    tokens.contains("any") || tokens.contains("some")
  }

  /// Whether the first opening parenthesis is closed by the last one, unlike in `(A) -> (B)`.
  private static func closesLast(_ tokens: [String]) -> Bool {
    var depth = 0
    for (index, token) in tokens.enumerated() {
      if token == "(" { depth += 1 }
      if token == ")" { depth -= 1 }
      if depth == 0 { return index == tokens.count - 1 }
    }
    return false
  }
}
