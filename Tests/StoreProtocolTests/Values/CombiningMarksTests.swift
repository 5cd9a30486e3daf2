import Foundation
import StoreTestSupport
import Testing

@testable import QueryEvaluation
@testable import StoreProtocol

@Suite("Strings with many combining marks in a row")
struct CombiningMarksTests {
  private static let letters: [Unicode.Scalar] = [
    "e", "u", "\u{E9}", "\u{3B1}", "\u{1FB7}", "\u{1100}", "\u{1161}", "\u{9C7}", "\u{9BE}",
    "\u{30AB}", "\u{1D157}", "x",
  ]
  private static let marks: [Unicode.Scalar] = [
    "\u{300}", "\u{301}", "\u{302}", "\u{323}", "\u{308}", "\u{345}", "\u{341}", "\u{343}",
    "\u{344}", "\u{5B8}", "\u{3099}", "\u{94D}", "\u{327}", "\u{313}", "\u{1D165}", "\u{338}",
  ]

  /// Letters, each with marks in a random order, sometimes many.
  private func text(_ random: inout SeededGenerator) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      if let letter = Self.letters.randomElement(using: &random) { text.append(letter) }
      let marks = Self.marks.shuffled(using: &random).prefix(.random(in: 1...5, using: &random))
      for _ in 0..<[0, 2, 29, 30, 31, 150][Int.random(in: 0..<6, using: &random)] {
        if let mark = marks.randomElement(using: &random) { text.append(mark) }
      }
    }
    return String(text)
  }

  private func longestRun(_ text: String) -> Int {
    var (longest, count) = (0, 0)
    for scalar in text.unicodeScalars {
      let isMark = scalar.properties.canonicalCombiningClass != .notReordered
      count = isMark ? count + 1 : 0
      longest = max(longest, count)
    }
    return longest
  }

  @Test func `have a composed form that equals them, and is the same for all equal strings`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<300 {
      let text = text(&random)
      #expect(CombiningMarks.areMany(in: text) == (longestRun(text) > 30))
      #expect(text.composed == text)
      #expect(text.comparable.hashValue == text.hashValue)
      let decomposed = text.unicodeScalars.map { scalar in
        String(scalar).decomposedStringWithCanonicalMapping
      }.joined()
      #expect(decomposed.composed.utf8.elementsEqual(text.composed.utf8))
      #expect(text.composed.composed.utf8.elementsEqual(text.composed.utf8))
    }
  }

  @Test(arguments: ["\u{F73}", "\u{F75}", "\u{F81}"])
  func `include vowels that consist of marks, and are none by their own class`(vowel: String) {
    let text = "\u{F40}" + String(repeating: vowel, count: 40)
    // Swift's comparison does not reorder the marks that these vowels consist of.
    #expect(CombiningMarks.areMany(in: text))
    let decomposed = text.decomposedStringWithCanonicalMapping
    #expect(decomposed.composed.utf8.elementsEqual(text.composed.utf8))
  }

  /// The time of an operation with strings of a number of marks, whose order is the worst one.
  private func time(_ marks: Int, _ operation: (String, String) -> Void) -> Duration {
    let pairs = String(repeating: "\u{301}\u{323}", count: marks / 2)
    let (first, second) = ("e" + pairs, "e" + pairs + "\u{302}")
    return (0..<3).map { _ in ThreadTime.measure { operation(first, second) } }.min() ?? .zero
  }

  enum Operation: String, CaseIterable {
    case equality, hash, order, search, words, caseInsensitiveOrder

    func perform(_ first: String, _ second: String) {
      switch self {
      case .equality: #expect(!StoreValue.string(first).isEqual(to: .string("\u{E9}" + second)))
      case .hash:
        let values = [first, second].map { HashedValue(.string($0)) }
        #expect(Set(values).count == 2)
      case .order: #expect(TextOrder.order(first, second) < 0)
      case .search: #expect(!TextComparison.localizedStandardContains(first, "x"))
      case .words: #expect(WordFolding.folded(first) == "e")
      case .caseInsensitiveOrder:
        #expect(TextComparison.caseInsensitiveCompare(first, second) != 0)
      }
    }
  }

  /// With a cost for each pair of marks, 8 times as many take 64 times as long.
  @Test(arguments: Operation.allCases)
  func `take linear time`(operation: Operation) {
    let (few, many) = (time(1_000, operation.perform), time(8_000, operation.perform))
    #expect(many < few * 30, "\(many) instead of \(few) for an eighth of the marks")
  }
}
