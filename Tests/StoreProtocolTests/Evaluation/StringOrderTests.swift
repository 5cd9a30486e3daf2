import Foundation
import StoreTestSupport
import Testing

@testable import StoreProtocol

@Suite("The order of strings")
struct StringOrderTests {
  /// The order by definition: by the UTF-8 bytes of the composed form, which have the order of the
  /// scalars.
  private func defined(_ lhs: String, _ rhs: String) -> Int {
    let (a, b) = (
      Array(lhs.precomposedStringWithCanonicalMapping.utf8),
      Array(rhs.precomposedStringWithCanonicalMapping.utf8)
    )
    return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
  }

  @Test func `is consistent for strings that Swift orders inconsistently`() {
    #expect(TextOrder.order("e\u{301}", "\u{e9}0") == -1)
    #expect(TextOrder.order("\u{e9}0", "e\u{301}") == 1)
    #expect(TextOrder.order("\u{212a}", "K") == 0)
    #expect(TextOrder.order("\u{212a}", "K0") == -1)
    #expect(TextOrder.order("", "a") == -1)
    #expect(TextOrder.order("a\u{0}", "a") == 1)
  }

  @Test func `compares long strings only as far as they are equal`() {
    func time(_ length: Int) -> Duration {
      let text = String(repeating: "abcdefg ", count: length / 8)
      let pairs = (0..<200).map { number in ("x\(number)\(text)", "y\(text)") }
      return (0..<3).map { _ in
        ThreadTime.measure { #expect(!pairs.contains { TextOrder.areEqual($0, $1) }) }
      }
      .min() ?? .zero
    }
    let (short, long) = (time(1_000), time(100_000))
    #expect(long < short * 10 + .milliseconds(1), "\(long) instead of \(short)")
    for start in ["", "\u{e9}", "e\u{301}", "\u{212a}"] {
      let rest = String(repeating: "abc", count: 30)
      #expect(TextOrder.areEqual(rest + "\u{e9}" + start, rest + "e\u{301}" + start))
      #expect(TextOrder.areEqual(start + rest + "K", start + rest + "\u{212a}"))
      #expect(!TextOrder.areEqual(start + rest, start + rest + "\u{301}"))
      #expect(!TextOrder.areEqual(start + rest, start + rest + "K"))
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `is that of the composed form, for random strings of difficult scalars`(seed: UInt64) {
    let scalars: [Unicode.Scalar] = [
      "a", "e", "K", ";", "`", " ", "0", "\u{0}", "\u{e9}", "\u{17f}", "\u{2ff}", "\u{300}",
      "\u{301}", "\u{327}", "\u{37e}", "\u{212a}", "\u{212b}", "\u{1100}", "\u{1161}", "\u{11a8}",
      "\u{ac00}", "\u{fb01}", "\u{1f600}", "\u{200d}", "\u{1d15e}",
    ]
    var random = SeededGenerator(seed: seed)
    let strings = (0..<400).map { _ in
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0..<5, using: &random) {
        if let scalar = scalars.randomElement(using: &random) { text.append(scalar) }
      }
      return String(text)
    }
    var differences: [String] = []
    for first in strings {
      for second in strings where TextOrder.order(first, second) != defined(first, second) {
        differences.append("\(first.debugDescription) \(second.debugDescription)")
      }
    }
    #expect(differences == [])
    #expect(
      strings.allSatisfy { first in
        strings.allSatisfy { (TextOrder.order(first, $0) == 0) == (first == $0) }
      }
    )
  }
}
