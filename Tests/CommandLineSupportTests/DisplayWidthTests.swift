import CommandLineSupport
import Testing

@Suite("Display width")
struct DisplayWidthTests {
  @Test(
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("한국", 4), ("ｆｕ", 4),
      ("🦊", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("\u{200B}", 0), ("ﬁ", 1),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("Жук", 3), ("a🦊b", 4),
    ])
  func `a string has the width that a terminal shows`(text: String, columns: Int) {
    #expect(text.displayWidth == columns)
  }

  @Test(
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
      ("abc", 1, "…"), ("abc", 0, ""),
    ])
  func `a string is truncated to a number of columns`(text: String, width: Int, cut: String) {
    #expect(text.truncated(to: width) == cut)
    #expect(text.truncated(to: width).displayWidth <= width)
  }

  @Test func `a string without control characters is shown unchanged`() {
    #expect("Łódź 日本 🦊".visible == "Łódź 日本 🦊")
  }
}
