import Testing

@testable import ModelMacroExpansion

@Suite("Lexer")
struct LexerTests {
  /// The texts of the tokens of a source.
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
  func `a string of any form is one token`(_ literal: String) {
    let source = "x = \(literal) + y"
    #expect(words(source) == ["x", "=", literal, "+", "y"])
  }

  @Test func `an open string ends at the end of its line`() {
    #expect(words("\"open\nnext") == ["\"open", "next"])
  }

  @Test(arguments: ["// to the end \" {", "/* block */", "/* a /* nested \" */ b */", "/**/"])
  func `a comment is no token`(_ comment: String) {
    #expect(words("a \(comment)\nb") == ["a", "b"])
  }

  @Test func `a comment of several lines starts a new line`() {
    let tokens = Lexer.tokens(of: SourceText("a /* \n */ b"))
    #expect(tokens.map(\.startsLine) == [true, true])
  }

  @Test(arguments: ["/a b/", "/[{\"]/", "/\\//", "#/ } \" /#", "##/a/#/##"])
  func `a regular expression is one token`(_ literal: String) {
    #expect(words("x = \(literal)") == ["x", "=", literal])
  }

  @Test(arguments: ["a / b / c", "f(1)/2 + x[0]/3", "x!/2 + y!/3", "a /b/ c"])
  func `a slash after an operand divides`(_ source: String) {
    #expect(Lexer.tokens(of: SourceText(source)).allSatisfy { $0.kind != .regex })
  }

  @Test(arguments: [
    ("1", Token.Kind.integer), ("0xFF", .integer), ("1_000", .integer), ("0b10", .integer),
    ("1.5", .float), ("1e9", .float), ("1.5e-3", .float), ("0x1p3", .float), ("0x1.8p-3", .float),
  ])
  func `a number knows its kind`(_ source: String, kind: Token.Kind) {
    let tokens = Lexer.tokens(of: SourceText(source))
    #expect(tokens.map(\.kind) == [kind])
  }

  @Test func `a member of a number is not its fraction`() {
    #expect(words("1.description") == ["1", ".", "description"])
    #expect(words("0x1.description") == ["0x1", ".", "description"])
    #expect(words("0...9") == ["0", ".", ".", ".", "9"])
  }

  @Test func `backticks make a name of anything`() {
    #expect(words("`var` `two words`") == ["`var`", "`two words`"])
    let kinds = Lexer.tokens(of: SourceText("`var` var")).map(\.kind)
    #expect(kinds == [.word(quoted: true), .word(quoted: false)])
  }

  @Test func `directives and macros are told apart`() {
    let kinds = Lexer.tokens(of: SourceText("#if #elseif #else #endif #Unique #")).map(\.kind)
    #expect(kinds == [.directive, .directive, .directive, .directive, .pound, .unknown])
  }

  @Test func `deep nesting ends`() {
    let source = String(repeating: "\"\\(", count: 10_000)
    #expect(!Lexer.tokens(of: SourceText(source)).isEmpty)
  }
}
