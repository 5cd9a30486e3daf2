/// Reads declarations that the compiler has already found to be valid.
///
/// It splits source and does not validate it. Invalid source gives some result, and never traps.
struct DeclarationReader {
  /// The largest depth of nested types and `#if` blocks.
  private static let depthLimit = 200

  var cursor: TokenCursor

  init(_ text: SourceText) {
    cursor = TokenCursor(text)
  }

  /// Reads a type with its members, or returns `nil` if the source has none.
  static func type(in text: SourceText) -> TypeDeclaration? {
    var reader = DeclarationReader(text)
    let attributes = reader.attributes()
    let modifiers = reader.modifiers()
    return reader.type(attributes: attributes, modifiers: modifiers)
  }

  /// Reads a property, or returns `nil` if the source is something else.
  static func property(in text: SourceText) -> PropertyDeclaration? {
    var reader = DeclarationReader(text)
    guard case .property(let property) = reader.member() else { return nil }
    return property
  }

  private mutating func type(
    attributes: [Attribute],
    modifiers: [Modifier]
  ) -> TypeDeclaration? {
    guard cursor.isAtWord else { return nil }
    let keyword = (cursor.word, cursor.offset)
    cursor.advance()
    let name = typeName()
    let isGeneric = cursor.skipAngleBrackets()
    let inherited = cursor.take(":") ? inheritedTypes() : []
    while !cursor.isAtEnd, !cursor.at("{") { cursor.skipOne() }
    _ = cursor.take("{")
    return TypeDeclaration(
      attributes: attributes,
      modifiers: modifiers,
      keyword: keyword.0,
      keywordOffset: keyword.1,
      name: name.0,
      nameOffset: name.1,
      isGeneric: isGeneric,
      inheritedTypes: inherited,
      members: members(depth: 0)
    )
  }

  /// Reads the name of a type, the whole of it for an extension.
  private mutating func typeName() -> (String, Int) {
    let start = cursor.offset
    cursor.advance()
    cursor.skipQualifiers()
    return (cursor.text[start..<max(start, cursor.previousEnd)], start)
  }

  private mutating func inheritedTypes() -> [String] {
    var types: [String] = []
    repeat {
      let start = cursor.offset
      while !cursor.isAtEnd, !["{", ",", "where"].contains(cursor.word) {
        if !cursor.skipAngleBrackets() { cursor.skipOne() }
      }
      types.append(cursor.text[start..<max(start, cursor.previousEnd)])
    } while cursor.take(",")
    return types
  }

  /// Reads members up to the brace or the directive that ends them, which is left unread.
  private mutating func members(depth: Int) -> Branching<Member> {
    var members = Branching<Member>()
    while !cursor.isAtEnd, !cursor.at("}"), !isAtBranchEnd {
      let start = cursor.index
      if cursor.take(";") { continue }
      if isAtIf, depth < Self.depthLimit, !isConditionalAttribute {
        members.items.append(.conditional(branches(depth: depth)))
      } else {
        members.items.append(.element(member()))
      }
      // Invalid source must not stop the reader.
      if cursor.index == start { cursor.skipOne() }
    }
    return members
  }

  private mutating func branches(depth: Int) -> [Branching<Member>.Branch] {
    var branches: [Branching<Member>.Branch] = []
    repeat {
      let condition = directiveLine()
      let content = members(depth: depth + 1)
      branches.append(.init(condition: condition, content: content))
      // A brace in invalid source closes the class, not the block.
      if cursor.at("}") { break }
    } while isAtBranchEnd && !cursor.at("#endif")
    if cursor.at("#endif") { cursor.advance() }
    return branches
  }

  /// Reads one member.
  mutating func member() -> Member {
    let start = cursor.offset
    let attributes = attributes()
    let modifiers = modifiers()
    switch cursor.word {
    case "var", "let":
      let property = property(attributes: attributes, modifiers: modifiers, offset: start)
      return .property(property)
    case let keyword where cursor.current?.kind == .pound:
      return expansion(named: keyword)
    case "init":
      return .initializer(initializer(attributes: attributes, modifiers: modifiers))
    case let keyword:
      skipMember()
      return .other(keyword: keyword)
    }
  }

  private mutating func initializer(
    attributes: [Attribute],
    modifiers: [Modifier]
  ) -> InitializerDeclaration {
    let body = skipMember() ?? cursor.index
    let words = cursor.tokens[body..<cursor.index].filter { token in
      if case .word = token.kind { true } else { false }
    }
    return InitializerDeclaration(
      attributes: attributes,
      modifiers: modifiers,
      words: Set(words.map { cursor.text[$0.range].filter { $0 != "`" } })
    )
  }

  private mutating func expansion(named keyword: String) -> Member {
    let offset = cursor.offset
    cursor.advance()
    let first = cursor.index
    cursor.skipQualifiers()
    let name = cursor.index == first ? String(keyword.dropFirst()) : cursor.string(-1)
    let generics = cursor.offset
    let hasGenerics = cursor.skipAngleBrackets()
    let genericEnd = cursor.previousEnd
    let arguments = cursor.at("(") ? cursor.bracketed() : ""
    while cursor.at("{") { cursor.skipBrackets() }
    return .expansion(
      MacroExpansion(
        name: name,
        genericArguments: hasGenerics ? cursor.text[generics + 1..<genericEnd - 1] : nil,
        arguments: arguments,
        offset: offset
      )
    )
  }

  /// Skips a member that a model does not use.
  ///
  /// - Returns: The index of the brace that opens its body, or `nil` if it has none.
  @discardableResult
  private mutating func skipMember() -> Int? {
    cursor.advance()
    while !cursor.isAtEnd, !cursor.at("}"), !cursor.at(";") {
      if cursor.at("{") {
        let body = cursor.index
        cursor.skipBrackets()
        return body
      }
      if startsDeclaration { return nil }
      if !cursor.skipAngleBrackets() { cursor.skipOne() }
    }
    return nil
  }
}
