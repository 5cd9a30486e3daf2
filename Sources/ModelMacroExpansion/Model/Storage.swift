/// How the value of a property is kept.
enum Storage: Equatable {
  /// As it is: the store reads and writes this type without asking what it is.
  case plain(type: String)
  /// In a slot, which can be empty; the type as written, or nil where the compiler finds it.
  case slot(type: String?)

  /// Decides by the declared type, or by the literal where no type is declared.
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

/// What can be known of a type by its name.
enum TypeName {
  private static let plain: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "Float", "Double", "Bool", "String", "Date", "Data", "UUID", "URL", "Decimal", "Character",
  ]

  /// Whether a store reads this type, or an optional of it, directly.
  static func isPlain(_ type: String) -> Bool {
    plain.contains(unqualified(wrapped(type) ?? normalized(type)))
  }

  /// Whether a variable of this type starts as nil: so with `?` and `!`, not with `Optional<…>`.
  static func isSugaredOptional(_ type: String) -> Bool {
    type.hasSuffix("?") || type.hasSuffix("!")
  }

  /// `T!` as `T?`: only a property may be declared with an exclamation mark.
  static func withoutImplicitUnwrapping(_ type: String) -> String {
    type.hasSuffix("!") ? type.dropLast() + "?" : type
  }

  /// The type inside an optional; nil for any other type.
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

  /// The type without white space, comments and parentheses around the whole of it.
  private static func normalized(_ type: String) -> String {
    let text = SourceText(type)
    var tokens = Lexer.tokens(of: text).map { text[$0.range] }
    while tokens.first == "(", tokens.last == ")", closesLast(tokens) {
      tokens = Array(tokens.dropFirst().dropLast())
    }
    return tokens.joined(separator: isApart(tokens) ? " " : "")
  }

  /// `any P` needs its space; such a type is never plain, so any difference will do.
  private static func isApart(_ tokens: [String]) -> Bool {
    tokens.contains("any") || tokens.contains("some")
  }

  /// Whether the parenthesis that opens first closes last: not so in `(A) -> (B)`.
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
