import Testing
import StoreTestSupport

@testable import ModelMacroExpansion

/// Malformed source in many forms, to which the plugin responds without a trap.
@Suite("Malformed source")
struct PluginFuzzTests {
  @Test(arguments: Fixture.declarations)
  func `cut at any byte has ordered tokens`(_ fixture: Fixture) throws {
    let bytes = Array(try fixture.text().utf8)
    for length in 0...bytes.count {
      check(String(decoding: bytes[..<length], as: UTF8.self))
    }
  }

  @Test(arguments: Fixture.declarations)
  func `cut at random bytes is expanded without a trap`(_ fixture: Fixture) throws {
    let bytes = Array(try fixture.text().utf8)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<12 {
      let start = Int.random(in: 0...bytes.count, using: &random) / 8
      let end = Int.random(in: start...bytes.count, using: &random)
      _ = PlayedCompiler(text: String(decoding: bytes[start..<end], as: UTF8.self)).transcript
    }
  }

  @Test(arguments: Fixture.declarations)
  func `with changed bytes is expanded without a trap`(_ fixture: Fixture) throws {
    let bytes = Array(try fixture.text().utf8)
    var random = SeededGenerator(seed: 2)
    for _ in 0..<12 {
      let mutated = mutate(bytes, using: &random)
      check(mutated)
      _ = PlayedCompiler(text: mutated).transcript
    }
  }

  @Test func `of random bytes gets a response`() {
    var random = SeededGenerator(seed: 3)
    for length in 0..<300 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      check(String(decoding: bytes, as: UTF8.self))
      #expect(!respond(to: bytes).isEmpty)
    }
  }

  @Test(arguments: [
    "(", "{", "[", "<", "#if A\n", "class A {", "@A(", "var a = {", "/*", "#\"\\#(",
  ])
  func `with deep nesting is read without a trap`(_ piece: String) {
    let text = "@Model class A { " + String(repeating: piece, count: 150)
    check(text)
    _ = DeclarationReader.type(in: SourceText(text))
  }

  private func check(_ source: String) {
    let text = SourceText(source)
    var end = 0
    for token in Lexer.tokens(of: text) {
      let isInOrder = token.range.lowerBound >= end && !token.range.isEmpty
      if !isInOrder || token.range.upperBound > text.bytes.count {
        Issue.record("a token is out of order at \(token.range) in \(source.debugDescription)")
      }
      end = token.range.upperBound
    }
  }

  private static let pieces = [
    "{", "}", "(", ")", "\"", "\"\"\"", "#", "\\(", "/*", "*/", "//", "#if A\n", "#endif\n",
    "#else\n", "\n", "@", "`", "var ", "=", ",", ":", "<", ">", "/", "didSet", "class ", "\u{0}",
  ]

  private func mutate(_ bytes: [UInt8], using random: inout SeededGenerator) -> String {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let index = Int.random(in: 0...bytes.count, using: &random)
      let end = min(bytes.count, index + Int.random(in: 0...12, using: &random))
      let piece = Self.pieces.randomElement(using: &random) ?? ""
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes.removeSubrange(index..<end)
      case 1: bytes.insert(contentsOf: piece.utf8, at: index)
      default: bytes.replaceSubrange(index..<end, with: piece.utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
