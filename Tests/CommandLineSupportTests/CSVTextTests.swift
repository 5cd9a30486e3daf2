import CommandLineSupport
import Testing

@Suite("CSVText")
struct CSVTextTests {
  @Test func `fields are quoted only if necessary`() {
    let line = CSVText.line(["a", "", "b c", " d", "e,f", "g\"h", "i\nj", "k\rl", "ö"])
    #expect(line == "a,,b c,\" d\",\"e,f\",\"g\"\"h\",\"i\nj\",\"k\rl\",ö\r\n")
  }

  @Test func `written fields are read back unchanged`() throws {
    let fields = ["a", "", " b ", "c,\"d\"", "e\r\nf", "\""]
    let names = fields.indices.map { "n\($0)" }
    let file = try TemporaryFile(CSVText.line(names) + CSVText.line(fields))
    let reader = try CSVReader(path: file.path)
    let row = try #require(try reader.next())
    #expect(try names.map { try row.text($0) } == fields)
  }
}
