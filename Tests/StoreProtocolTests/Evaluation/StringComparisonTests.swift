import Foundation
import QueryEvaluation
import StoreProtocol
import Testing
import StoreTestSupport

@Suite("Fast string comparisons")
struct StringComparisonTests {
  private static let pieces =
    ["a", "A", "b", "k", "K", " ", "~", "_", "[", "7", "z", "Z", "\0", "\u{7F}"]
    + ["\u{301}", "\u{E9}", "\u{212A}", "\r", "\n", "\u{DF}", "\u{1F468}\u{200D}", "I", "i"]

  private func pairs(_ seed: UInt64) -> [(String, String)] {
    var random = SeededGenerator(seed: seed)
    return (0..<2_000).map { index in
      let pieces = index.isMultiple(of: 2) ? Array(Self.pieces.prefix(12)) : Self.pieces
      let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in random.pick(pieces) }
      let part = (0..<Int.random(in: 0...3, using: &random)).map { _ in random.pick(pieces) }
      return (text.joined(), part.joined())
    }
  }

  private func containsCharacters<C: Collection<Character>>(_ text: C, _ part: C) -> Bool {
    text.contains(part)
  }

  @Test func `test contains and starts by characters`() {
    for (text, part) in pairs(1) {
      #expect(TextComparison.contains(text, part) == containsCharacters(text, part))
      #expect(TextComparison.starts(text, with: part) == Array(text).starts(with: Array(part)))
    }
  }

  @Test(arguments: [["a", "b"], ["a", "b", "\n"], ["a", "b", "\n", "\r"]])
  func `find text that repeats itself`(pieces: [String]) {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<1_000 {
      func text(_ lengths: ClosedRange<Int>) -> String {
        (0..<Int.random(in: lengths, using: &random)).map { _ in random.pick(pieces) }.joined()
      }
      let (text, part) = (text(0...40), text(0...8))
      #expect(TextComparison.contains(text, part) == containsCharacters(text, part))
      #expect(
        TextComparison.localizedStandardContains(text, part.uppercased())
          == text.localizedStandardContains(part)
      )
    }
  }

  @Test func `return Foundation's results for localized comparisons`() {
    for (text, part) in pairs(2) {
      #expect(
        TextComparison.localizedStandardContains(text, part)
          == text.localizedStandardContains(part),
        "\(text.debugDescription) \(part.debugDescription)"
      )
      #expect(
        TextComparison.caseInsensitiveCompare(text, part)
          == text.caseInsensitiveCompare(part).rawValue,
        "\(text.debugDescription) \(part.debugDescription)"
      )
      #expect(TextComparison.localizedCompare(text, part) == text.localizedCompare(part).rawValue)
    }
  }

  @Test func `are tested with pairs that match and pairs that do not`() {
    let found = pairs(1).count { TextComparison.contains($0, $1) }
    #expect((200...1_900).contains(found))
  }
}
