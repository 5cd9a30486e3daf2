import Testing

@testable import ModelMacroExpansion

@Suite("Expansions")
struct ExpansionGoldenTests {
  @Test(arguments: Fixture.declarations)
  func `equal their fixtures`(_ fixture: Fixture) throws {
    let actual = PlayedCompiler(text: try fixture.text()).transcript
    #expect(try actual == fixture.expected(or: actual))
  }

  @Test func `read a let with a value through an accessor in the Swift 5 mode`() throws {
    let fixture = try #require(Fixture.declarations.first { $0.name == "SettledConstants" })
    let actual = PlayedCompiler(text: try fixture.text(), languageMode: 5).transcript
    let url = fixture.url.deletingLastPathComponent().appending(path: "SettledConstants5.swift")
    #expect(try actual == Fixture(name: "SettledConstants5", url: url).expected(or: actual))
  }

  @Test func `have fixtures`() {
    #expect(Fixture.declarations.count >= 14)
    #expect(Fixture.messages.count >= 8)
  }
}
