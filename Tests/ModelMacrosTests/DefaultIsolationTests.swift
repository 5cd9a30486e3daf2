import Testing

@Suite("A model in a module with default isolation to the main actor", .serialized)
struct DefaultIsolationTests {
  private static let model = """
    import ModelLayer
    enum Season: Codable { case spring, summer(days: Int) }
    @Model final class Tag {
      var word: String
      var season: Season = Season.spring
      init(word: String) { self.word = word }
    }
    func sorted(_ tags: [Tag]) -> [Tag] { tags.sorted { $0.word < $1.word } }
    """
  private static let order = "static func < (lhs: Tag, rhs: Tag) -> Bool { lhs.word < rhs.word }"

  private static func errors(_ source: String) throws -> String {
    let text = try RealCompiler.output(source, ["-default-isolation", "MainActor"])
    return text.contains("error:") ? text : ""
  }

  @Test(arguments: [
    "",
    "nonisolated extension Tag: Comparable { \(order) }",
    "extension Tag: nonisolated Comparable { \(order) }",
    "extension Tag: Comparable { \(order) }\nnonisolated extension Tag: Equatable {}",
  ])
  func `compiles with conformances in nonisolated extensions`(addition: String) throws {
    #expect(try Self.errors("\(Self.model)\n\(addition)") == "")
  }

  @Test func `compiles with a conformance of the class itself`() throws {
    let source = Self.model.replacing("class Tag {", with: "class Tag: Comparable {\n\(Self.order)")
    #expect(try Self.errors(source) == "")
  }

  // The extension implies a conformance to Equatable on the main actor, which hides that of the
  // model. A macro cannot detect this: an explicit conformance would collide with an `==` in an
  // extension. If a compiler accepts this, remove the advice from the guide for SwiftData users.
  @Test func `does not compile with an isolated extension, and explains the fix`() throws {
    let errors = try Self.errors("\(Self.model)\nextension Tag: Comparable { \(Self.order) }")
    #expect(errors.contains("conformance of 'Tag' to protocol 'Hashable' crosses into main actor"))
    #expect(errors.contains("conform in a `nonisolated extension`"))
  }
}
