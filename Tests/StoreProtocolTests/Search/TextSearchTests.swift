import Foundation
import StoreProtocol
import Testing
import StoreTestSupport

@Suite("A search for words")
struct TextSearchTests {
  struct Example: CustomTestStringConvertible, Sendable {
    let search: String
    let text: String
    let isFound: Bool

    init(_ search: String, in text: String, _ isFound: Bool) {
      self.search = search
      self.text = text
      self.isFound = isFound
    }

    var testDescription: String { "\(search) in \(text)" }
  }

  @Test(arguments: words + phrases + prefixes + exclusions + alternatives + scripts + syntax)
  func finds(_ example: Example) {
    #expect(TextSearch(example.search).isFound(in: example.text) == example.isFound)
    #expect(example.text.contains(TextSearch(example.search)) == example.isFound)
  }

  private static let words = [
    Example("sea", in: "by the Sea.", true), Example("sea", in: "season", false),
    Example("SEA", in: "the sea", true), Example("sea hot", in: "hot springs at sea", true),
    Example("sea cold", in: "hot springs at sea", false), Example("7", in: "on day 7", true),
    Example("7", in: "on day 17", false), Example("cafe", in: "Le Café", true),
    Example("caf\u{E9}", in: "CAFE", true),
    Example("cafe\u{301}", in: "caf\u{E9}s caf\u{E9}", true),
    Example("\u{212A}elvin", in: "kelvin", true), Example("strasse", in: "Stra\u{DF}e", true),
    Example("STRA\u{1E9E}E", in: "strasse", true), Example("Istanbul", in: "\u{130}stanbul", true),
    Example("ilik", in: "\u{131}l\u{131}k", true), Example("σας", in: "ΣΑΣ", true),
    Example("office", in: "o\u{FB03}ce", true), Example("don't", in: "I don\u{2019}t know", true),
    Example("a", in: "a\0b", true), Example("", in: "", true), Example("  ", in: "anything", true),
    Example("sea", in: "", false), Example("soft", in: "so\u{AD}ft", true),
  ]

  private static let phrases = [
    Example("\"hot spring\"", in: "a Hot, Spring!", true),
    Example("\"hot spring\"", in: "a spring that is hot", false),
    Example("\"hot spring\"", in: "hot springs", false),
    Example("hot-spring", in: "the hot spring", true),
    Example("hot-spring", in: "spring hot", false),
    Example("a@b.org", in: "mail a@b.org now", true), Example("a@b.org", in: "a b com org", false),
    Example("\u{201C}hot spring\u{201D}", in: "hot spring", true),
    Example("\"a b\" \"b c\"", in: "a b c", true),
  ]

  private static let prefixes = [
    Example("bea*", in: "the beaches", true), Example("bea*", in: "abeam", false),
    Example("beach*", in: "beach", true), Example("\"hot spr*\"", in: "hot springs", true),
    Example("\"hot spr\"*", in: "hot springs", true),
    Example("\"hot spr\"", in: "hot springs", false),
    Example("*", in: "anything", true), Example("\u{D55C}*", in: "\u{D55C}\u{AD6D}", true),
    Example("\u{D558}*", in: "\u{D55C}\u{AD6D}", false),
  ]

  private static let exclusions = [
    Example("sea -rain", in: "sea and sun", true), Example("sea -rain", in: "sea and rain", false),
    Example("-rain", in: "sea", true), Example("-rain", in: "rain", false),
    Example("sea -\"hot spring\"", in: "hot sea spring", true),
    Example("-rai*", in: "rainy", false),
    Example("- rain", in: "rain", true), Example("sea--rain", in: "sea rain", true),
  ]

  private static let alternatives = [
    Example("sea OR hot", in: "hot", true), Example("sea OR hot", in: "cold", false),
    Example("sea OR hot day", in: "hot night", false),
    Example("sea OR hot day", in: "sea day", true),
    Example("sea or hot", in: "sea", false), Example("OR", in: "either or", true),
    Example("sea OR", in: "sea", false), Example("sea OR", in: "sea or land", true),
    Example("OR sea", in: "sea", false), Example("sea OR -hot", in: "sea", false),
    Example("a OR b OR c", in: "c", true), Example("\"sea OR hot\"", in: "hot", false),
  ]

  private static let scripts = [
    Example("中国", in: "我爱中国人", true), Example("国中", in: "我爱中国人", false),
    Example("ひら", in: "これはひらがな", true), Example("か", in: "が", false),
    Example("ภาษา", in: "ฉันพูดภาษาไทย", true), Example("שלום", in: "שָׁלוֹם", true),
    Example("हिंदी", in: "मैं हिंदी बोलता हूँ", true), Example("हद", in: "हिंदी", false),
    Example("❤️", in: "love", true), Example("1", in: "1\u{FE0F}\u{20E3}", true),
  ]

  private static let syntax = [
    Example("\"", in: "x", true), Example("\"\"", in: "x", true), Example("-", in: "x", true),
    Example("--", in: "x", true), Example("-\"", in: "x", true), Example("**", in: "x", true),
    Example("\"never closed", in: "it was never closed", true),
    Example("(a) AND b", in: "a b", false), Example("NEAR(a b)", in: "near a b", true),
    Example("a:b ^c {d}", in: "a b c d", true),
    Example("'; DROP TABLE", in: "drop the table", true),
  ]

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `the fast and the general path find the same words`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let simple: [ClosedRange<UInt32>] = [0...0x7F, 0x80...0x52F, 0x2000...0x206F, 0x4E00...0x4E20]
    var text = ""
    for _ in 0..<100 {
      let range = random.pick(simple)
      let value = UInt32.random(in: range, using: &random)
      if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
    }
    // A scalar outside these ranges selects the general path for the whole string.
    #expect(FoldedWords(text + " z").text == FoldedWords(text + " \u{1E93}").text)
  }

  @Test(arguments: HardValues.texts)
  func `a string is found by its own words`(_ text: String) {
    #expect(TextSearch(text.filter { $0 != "\"" && $0 != "-" }).isFound(in: text))
  }

  @Test
  func `a very long word is found`() {
    let run = String(repeating: "a", count: 100_000)
    #expect(TextSearch(run).isFound(in: run))
    #expect(!TextSearch(run).isFound(in: String(run.dropLast())))
    #expect(TextSearch("aaa*").isFound(in: run))
  }

  @Test
  func `a search is encoded as its search string`() throws {
    let search = TextSearch("sea -rain")
    let data = try JSONEncoder().encode([search])
    #expect(String(decoding: data, as: UTF8.self) == "[\"sea -rain\"]")
    #expect(try JSONDecoder().decode([TextSearch].self, from: data) == [search])
  }
}
