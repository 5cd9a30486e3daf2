import CommandLineSupport
import Testing

@Suite("TextTable")
struct TextTableTests {
  @Test func `text is aligned left and numbers are aligned right`() {
    var table = TextTable([.text("Airport"), .number("Flights"), .text("City")])
    table.append(["EWR", "9893", "Newark"])
    table.append(["LGA", "7", "New York"])
    #expect(
      table.text() == """
        Airport  Flights  City
        -------  -------  --------
        EWR         9893  Newark
        LGA            7  New York

        """
    )
  }

  @Test func `wide characters and combining marks keep columns aligned`() {
    var table = TextTable([.text("Name"), .text("Place")])
    table.append(["日本", "Tokyo"])
    table.append(["e\u{301}te\u{301}", "Paris"])
    table.append(["🦊", "Den"])
    #expect(
      table.text() == """
        Name  Place
        ----  -----
        日本  Tokyo
        e\u{301}te\u{301}   Paris
        🦊    Den

        """
    )
  }

  @Test func `the widest text column is truncated`() {
    var table = TextTable([.text("Short"), .text("Long"), .number("N")])
    table.append(["abc", String(repeating: "x", count: 100), "123456"])
    let lines = table.text(width: 40).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 40 })
    #expect(lines[2].hasPrefix("abc    xxxx"))
    #expect(lines[2].hasSuffix("x…  123456"))
  }

  @Test func `numbers are never truncated`() {
    var table = TextTable([.number("A"), .number("B")])
    table.append(["12345678901234567890", "12345678901234567890"])
    #expect(table.text(width: 10).contains("12345678901234567890  12345678901234567890"))
  }

  @Test func `control characters are shown escaped`() {
    var table = TextTable([.text("Name")])
    table.append(["a\nb\u{1B}[31m\u{202E}c"])
    #expect(table.text().contains("a\\nb\\u{1B}[31m\\u{202E}c"))
  }

  @Test func `a row is padded or cut to the number of columns`() {
    var table = TextTable([.text("A"), .text("B")])
    table.append(["1"])
    table.append(["1", "2", "3"])
    #expect(table.rows == [["1", ""], ["1", "2"]])
  }

  @Test func `a table without rows has only its header`() {
    #expect(TextTable([.text("A")]).text() == "A\n-\n")
    #expect(TextTable([]).text().isEmpty)
  }
}
