import ModelMacroExpansion

/// The attributes and modifiers before a declaration.
struct DeclarationHead {
  /// The offset of the first one.
  var start: Int?
  var isOnMainActor = false
  var isNonisolated = false
  var isStatic = false
  var isOverride = false
  /// Whether the declaration is the program's entry point.
  var isMain = false
  /// Whether the declaration is a model.
  var isModel = false

  var isIsolated: Bool { isOnMainActor || isNonisolated }

  private static let modifiers: Set<String> = [
    "public", "open", "internal", "private", "fileprivate", "package", "final", "override",
    "static", "class", "nonisolated", "lazy", "weak", "unowned", "required", "convenience",
    "dynamic", "mutating", "nonmutating", "indirect", "prefix", "postfix", "infix", "distributed",
  ]

  /// Reads one attribute or modifier, and returns whether there is one.
  mutating func take(_ cursor: inout TokenCursor) -> Bool {
    let offset = cursor.offset
    if cursor.at("@") {
      cursor.advance()
      if cursor.at("MainActor") { isOnMainActor = true }
      if cursor.at("main") { isMain = true }
      if cursor.at("Model") { isModel = true }
      cursor.advance()
      if cursor.at("("), cursor.current?.startsLine == false { cursor.skipBrackets() }
    } else if Self.modifiers.contains(cursor.word) {
      switch cursor.word {
      case "nonisolated": isNonisolated = true
      case "static", "class": isStatic = true
      case "override": isOverride = true
      default: break
      }
      cursor.advance()
      if cursor.at("(") { cursor.skipBrackets() }
    } else {
      return false
    }
    start = start ?? offset
    return true
  }
}
