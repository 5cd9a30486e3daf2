import Testing

@testable import ModelMacroExpansion

@Suite("Lexer")
struct LexerTests {
  /// Returns the tokens of a source as strings.
  private func words(_ source: String) -> [String] {
    let text = SourceText(source)
    return Lexer.tokens(of: text).map { text[$0.range] }
  }

  @Test(arguments: [
    "\"plain\"",
    "\"\"",
    "\"a \\\" b\"",
    "\"\\(a)\"",
    "\"\\(f(\"}\"))\"",
    "\"\\(\"\\(\"deep\")\")\"",
    "#\"raw \" and \\(no)\"#",
    "#\"\\#(yes + \"}\")\"#",
    "##\"\"#\"##",
    "#\"\"\"#",
    "\"\"\"\n  one \" two \"\" three\n  \"\"\"",
    "\"\"\"\n\\(\"\"\"\n inner \"\n\"\"\")\n\"\"\"",
    "#\"\"\"\n  \"\"\" \\(no)\n  \"\"\"#",
    "\"\\(a /* \") */ + b)\"",
  ])
  func `reads a string literal of any form as one token`(_ literal: String) {
    let source = "x = \(literal) + y"
    #expect(words(source) == ["x", "=", literal, "+", "y"])
  }

  @Test func `ends an unterminated string at the end of its line`() {
    #expect(words("\"open\nnext") == ["\"open", "next"])
  }

  @Test(arguments: ["// to the end \" {", "/* block */", "/* a /* nested \" */ b */", "/**/"])
  func `skips comments`(_ comment: String) {
    #expect(words("a \(comment)\nb") == ["a", "b"])
  }

  @Test func `starts a new line after a comment of several lines`() {
    let tokens = Lexer.tokens(of: SourceText("a /* \n */ b"))
    #expect(tokens.map(\.startsLine) == [true, true])
  }

  @Test(arguments: ["/a b/", "/[{\"]/", "/\\//", "#/ } \" /#", "##/a/#/##"])
  func `reads a regular expression as one token`(_ literal: String) {
    #expect(words("x = \(literal)") == ["x", "=", literal])
  }

  @Test(arguments: ["a / b / c", "f(1)/2 + x[0]/3", "x!/2 + y!/3", "a /b/ c"])
  func `reads a slash after an operand as a division`(_ source: String) {
    #expect(Lexer.tokens(of: SourceText(source)).allSatisfy { $0.kind != .regex })
  }

  @Test(arguments: [
    ("1", Token.Kind.integer), ("0xFF", .integer), ("1_000", .integer), ("0b10", .integer),
    ("1.5", .float), ("1e9", .float), ("1.5e-3", .float), ("0x1p3", .float), ("0x1.8p-3", .float),
  ])
  func `distinguishes integers and floating-point numbers`(_ source: String, kind: Token.Kind) {
    let tokens = Lexer.tokens(of: SourceText(source))
    #expect(tokens.map(\.kind) == [kind])
  }

  @Test func `separates a number from its member access`() {
    #expect(words("1.description") == ["1", ".", "description"])
    #expect(words("0x1.description") == ["0x1", ".", "description"])
    #expect(words("0...9") == ["0", ".", ".", ".", "9"])
  }

  @Test func `reads any characters in backticks as a name`() {
    #expect(words("`var` `two words`") == ["`var`", "`two words`"])
    let kinds = Lexer.tokens(of: SourceText("`var` var")).map(\.kind)
    #expect(kinds == [.word(quoted: true), .word(quoted: false)])
  }

  @Test func `distinguishes directives from macros`() {
    let kinds = Lexer.tokens(of: SourceText("#if #elseif #else #endif #Unique #")).map(\.kind)
    #expect(kinds == [.directive, .directive, .directive, .directive, .pound, .unknown])
  }

  @Test func `survives deep nesting`() {
    let source = String(repeating: "\"\\(", count: 10_000)
    #expect(!Lexer.tokens(of: SourceText(source)).isEmpty)
  }
}
