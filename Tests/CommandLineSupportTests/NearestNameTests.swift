import Testing

@testable import CommandLineSupport

@Suite("NearestName")
struct NearestNameTests {
  @Test(
    arguments: [
      ("", "", 0), ("a", "", 1), ("", "ab", 2), ("abc", "abc", 0), ("abc", "abd", 1),
      ("abc", "acb", 1), ("abc", "ac", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
  func `the edit distance of two names is computed`(first: String, second: String, edits: Int) {
    #expect(NearestName.edits(first, second) == edits)
    #expect(NearestName.edits(second, first) == edits)
  }

  @Test func `the nearest of several names is suggested`() {
    #expect(NearestName.of("stroe", among: ["stored", "store", "stone"]) == "store")
  }

  @Test func `the first name in alphabetical order is suggested of equally near ones`() {
    #expect(NearestName.of("lost", among: ["post", "cost"]) == "cost")
  }

  @Test func `distant names are not suggested`() {
    #expect(NearestName.of("quux", among: ["store", "limit"]) == nil)
    #expect(NearestName.of("x", among: []) == nil)
  }
}
