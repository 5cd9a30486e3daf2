import ModelMacroExpansion

/// The imports, models and types of a Swift file, read without compiling it.
struct SourceSummary {
  /// The modules that it imports on every platform.
  private(set) var imports: Set<String> = []
  /// The modules that it tests for with `canImport`.
  private(set) var tested: Set<String> = []
  /// The number of classes with `@Model`.
  private(set) var models = 0
  /// The number of functions that are tests.
  private(set) var tests = 0
  /// The types that it declares.
  private(set) var types: Set<String> = []

  private static let typeWords: Set<String> = [
    "class", "struct", "enum", "actor", "protocol", "typealias",
  ]
  static let importKinds: Set<String> = [
    "class", "struct", "enum", "protocol", "typealias", "func", "let", "var",
  ]

  init(_ source: String) {
    var cursor = TokenCursor(SourceText(source))
    var (conditions, xcTests, hasTestAttribute) = (0, 0, false)
    while !cursor.isAtEnd {
      switch cursor.word {
      case "#if": conditions += 1
      case "#endif": conditions -= 1
      case "canImport" where cursor.string(1) == "(": tested.insert(cursor.string(2))
      case "import" where isStatement(cursor):
        let distance = Self.importKinds.contains(cursor.string(1)) ? 2 : 1
        if conditions == 0 { imports.insert(cursor.string(distance)) }
      case "Model" where cursor.string(-1) == "@": models += 1
      case "Test" where cursor.string(-1) == "@":
        tests += 1
        hasTestAttribute = true
      case "func":
        if !hasTestAttribute, isXCTest(cursor) { xcTests += 1 }
        hasTestAttribute = false
      case let word where Self.typeWords.contains(word) && cursor.string(-1) != ".":
        // `class func` and a property called `actor` declare no type.
        if SwiftName.isPlain(cursor.string(1)) { types.insert(cursor.string(1)) }
      default: break
      }
      cursor.advance()
    }
    if imports.contains("XCTest") { tests += xcTests }
  }

  /// Whether XCTest takes the function that begins here for a test, if it is one of a test case.
  private func isXCTest(_ cursor: TokenCursor) -> Bool {
    cursor.string(1).hasPrefix("test") && cursor.string(2) == "(" && cursor.string(3) == ")"
  }

  /// Whether the word is the beginning of a statement, or follows an attribute or access level.
  private func isStatement(_ cursor: TokenCursor) -> Bool {
    cursor.current?.startsLine == true || cursor.string(-1) == ";" || cursor.string(-2) == "@"
      || ["internal", "public", "package", "private", "fileprivate"].contains(cursor.string(-1))
  }
}
