import CommandLineSupport
import Testing

@Suite("CSVText")
struct CSVTextTests {
  @Test func `fields are quoted only if necessary`() {
    let line = CSVText.line(["a", "", "b c", " d", "e,f", "g\"h", "i\nj", "k\rl", "ö"])
    #expect(line == "a,,b c,\" d\",\"e,f\",\"g\"\"h\",\"i\nj\",\"k\rl\",ö\r\n")
  }
}
