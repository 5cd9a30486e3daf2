import ModelMacroExpansion

/// The declarations of a file that a copy of it can do without.
///
/// These are functions, computed and static properties, extensions and types. A model and its stored
/// properties are none of them: a copy without them would have another schema. Neither are overrides
/// and functions of `Codable` and the like, without which the rest would do something else.
struct SourceDeclarations {
  /// One declaration.
  struct Item {
    let name: String
    /// Its bytes, with attributes and modifiers.
    let range: Range<Int>
    /// The names after its colon and, of an extension, the name of its type.
    let types: Set<String>
    let isMain: Bool
  }

  /// The declarations, each after those inside of it.
  private(set) var items: [Item] = []
  /// The imports on every platform, whose types are their modules.
  private(set) var imports: [Item] = []
  /// Whether the file has a declaration, even one that is not listed.
  private(set) var isEmpty = true
  private var cursor: TokenCursor
  /// The number of `#if` around the current token.
  private var conditions = 0
  /// The offset of each line.
  private let lineStarts: [Int]

  private static let typeWords: Set<String> = [
    "struct", "class", "enum", "actor", "protocol", "extension",
  ]
  private static let neededFunctions: Set<String> = ["encode", "hash", "=", "<"]
  private static let functionWords: Set<String> = ["func", "init", "deinit", "subscript"]

  init(_ source: String) {
    let text = SourceText(source)
    cursor = TokenCursor(text)
    let breaks = text.bytes.indices.filter { text.bytes[$0] == UInt8(ascii: "\n") }
    lineStarts = [0] + breaks.map { $0 + 1 }
    readScope(nil)
  }

  /// The scope of declarations: a file (`nil`), or the body of a type.
  private struct Scope {
    let name: String
    let isExtension: Bool
  }

  /// Reads declarations up to the end of a scope, and returns whether it has a model.
  @discardableResult
  private mutating func readScope(_ scope: Scope?) -> Bool {
    var (head, hasModel) = (DeclarationHead(), false)
    while !cursor.isAtEnd, scope == nil || !cursor.at("}") {
      let start = head.start ?? cursor.offset
      let isType = Self.typeWords.contains(cursor.word) && !isClassMember
      if isType {
        hasModel = readType(head, start, in: scope) || hasModel
      } else if Self.functionWords.contains(cursor.word), cursor.string(-1) != "." {
        readFunction(head, start, in: scope)
      } else if cursor.at("var") || cursor.at("let") {
        readProperty(head, start, in: scope)
      } else if cursor.at("#Preview") {
        readBody(to: "{")
        add("#Preview", start, ["Preview"], isMain: false)
      } else if cursor.at("import"), scope == nil {
        readImport(start)
      } else if head.take(&cursor) {
        continue
      } else {
        if cursor.at("#if") { conditions += 1 }
        if cursor.at("#endif") { conditions -= 1 }
        if cursor.at("typealias") || cursor.at("case") { isEmpty = false }
        skipOne()
      }
      head = DeclarationHead()
    }
    return hasModel
  }

  /// Reads the import of a module, or of one declaration of a module.
  private mutating func readImport(_ start: Int) {
    cursor.advance()
    if SourceSummary.importKinds.contains(cursor.word) { cursor.advance() }
    let module = cursor.word
    cursor.advance()
    while cursor.take(".") { cursor.advance() }
    guard conditions == 0 else { return }
    let range = start..<cursor.previousEnd
    imports.append(Item(name: "import \(module)", range: range, types: [module], isMain: false))
  }

  /// Whether `class` is the modifier of a member.
  private var isClassMember: Bool {
    cursor.at("class")
      && ["func", "var", "let", "subscript", "override"].contains(cursor.string(1))
  }

  /// Reads a type or an extension, and returns whether it is or has a model.
  private mutating func readType(
    _ head: DeclarationHead,
    _ start: Int,
    in scope: Scope?
  ) -> Bool {
    isEmpty = false
    let isModel = head.isModel
    let isExtension = cursor.at("extension")
    let isProtocol = cursor.at("protocol")
    cursor.advance()
    let name = [scope?.name, cursor.word].compactMap(\.self).joined(separator: ".")
    var types = isExtension ? [cursor.word] : Set<String>()
    var (isInherited, isCondition) = (false, false)
    while !cursor.isAtEnd, !cursor.at("{") {
      if cursor.at(":") { isInherited = true }
      if cursor.at("where") { isCondition = true }
      if isInherited, !isCondition, cursor.isAtWord { types.insert(cursor.word) }
      cursor.advance()
    }
    var hasModel = isModel
    if isProtocol {
      cursor.skipBrackets()
    } else {
      cursor.advance()
      hasModel = readScope(Scope(name: name, isExtension: isExtension)) || hasModel
      cursor.advance()
    }
    if !hasModel { add(name, start, types, isMain: head.isMain) }
    return hasModel
  }

  private mutating func readFunction(
    _ head: DeclarationHead,
    _ start: Int,
    in scope: Scope?
  ) {
    isEmpty = false
    let word = cursor.word
    let name = word == "func" ? cursor.string(1) : word
    readBody(to: "{")
    let isNeeded =
      word == "deinit" || Self.neededFunctions.contains(name)
      || (word == "init" && scope?.isExtension == false)
    if !head.isOverride, !isNeeded { add(name, start, in: scope) }
  }

  private mutating func readProperty(
    _ head: DeclarationHead,
    _ start: Int,
    in scope: Scope?
  ) {
    isEmpty = false
    let name = cursor.string(1)
    cursor.advance()
    var isComputed = false
    var hasValue = false
    while !cursor.isAtEnd, !endsProperty {
      if cursor.at("=") { hasValue = true }
      if cursor.at("{"), !hasValue, !["didSet", "willSet"].contains(cursor.string(1)) {
        isComputed = true
        cursor.skipBrackets()
        break
      }
      skipOne()
    }
    let isStored = !isComputed && scope != nil && !head.isStatic
    if !isStored, !head.isOverride { add(name, start, in: scope) }
  }

  /// Whether the current token is after the end of a stored property.
  private var endsProperty: Bool {
    if cursor.at("}") || cursor.at(";") { return true }
    guard cursor.current?.startsLine == true else { return false }
    if [".", "{", "?", ":", "=", "else", "as", "is"].contains(cursor.word) { return false }
    let previous = cursor.string(-1)
    if ["+", "-", "*", "/", "%", "&", "|", "<", "=", ":", ","].contains(previous) { return false }
    return cursor.isAtWord || ["@", "#"].contains(cursor.word.prefix(1))
  }

  /// Skips everything up to a bracket, and the brackets.
  private mutating func readBody(to bracket: String) {
    while !cursor.isAtEnd, !cursor.at(bracket), !cursor.at("}") { skipOne() }
    cursor.skipBrackets()
  }

  /// Skips one token, or a pair of brackets.
  private mutating func skipOne() {
    if ["(", "[", "{"].contains(cursor.word) { cursor.skipBrackets() } else { cursor.advance() }
  }

  private mutating func add(_ name: String, _ start: Int, in scope: Scope?) {
    add([scope?.name, name].compactMap(\.self).joined(separator: "."), start, [], isMain: false)
  }

  private mutating func add(_ name: String, _ start: Int, _ types: Set<String>, isMain: Bool) {
    let range = start..<cursor.previousEnd
    items.append(Item(name: name, range: range, types: types, isMain: isMain))
  }
}

extension SourceDeclarations {
  /// Returns the innermost declaration at a position in the source.
  func item(at position: CompilerErrors.Position) -> Item? {
    let offset =
      lineStarts.indices.contains(position.line - 1)
      ? lineStarts[position.line - 1] + position.column - 1 : -1
    return items.first { $0.range.contains(offset) || $0.range.upperBound == offset }
  }

  /// Returns the positions of names outside of conditions, unless they are members, cases or labels.
  func mentions(of names: Set<String>) -> [(name: String, position: CompilerErrors.Position)] {
    var (cursor, conditions) = (cursor, 0)
    var found: [(String, CompilerErrors.Position)] = []
    cursor.index = 0
    while !cursor.isAtEnd {
      if cursor.at("#if") { conditions += 1 }
      if cursor.at("#endif") { conditions -= 1 }
      if conditions == 0, names.contains(cursor.word),
        ![".", "case"].contains(cursor.string(-1)), cursor.string(1) != ":"
      {
        let line = lineStarts.lastIndex { $0 <= cursor.offset } ?? 0
        let column = cursor.offset - lineStarts[line] + 1
        found.append((cursor.word, CompilerErrors.Position(line: line + 1, column: column)))
      }
      cursor.advance()
    }
    return found
  }

  /// Returns a source with blanks instead of declarations: lines keep their numbers.
  static func source(_ source: String, without items: [Item]) -> String {
    var bytes = Array(source.utf8)
    for index in items.flatMap(\.range) where bytes[index] != UInt8(ascii: "\n") {
      bytes[index] = UInt8(ascii: " ")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
