import Testing

@testable import ModelMacroExpansion

@Suite("Expansions")
struct ExpansionGoldenTests {
  @Test(arguments: Fixture.declarations)
  func `a declaration expands to what its fixture says`(_ fixture: Fixture) throws {
    let actual = PlayedCompiler(text: try fixture.text()).transcript
    #expect(try actual == fixture.expected(or: actual))
  }

  @Test func `there are fixtures`() {
    #expect(Fixture.declarations.count >= 14)
    #expect(Fixture.messages.count >= 8)
  }
}
