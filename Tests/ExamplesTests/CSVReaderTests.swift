import CSVFiles
import CommandLineSupport
import Testing

@Suite("CSVReader")
struct CSVReaderTests {
  /// The contents of a file, and the fields of its rows.
  struct Sample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let rows: [[String]]
  }

  static let samples = [
    Sample(testDescription: "plain", text: "a,b\n1,2\n3,4\n", rows: [["1", "2"], ["3", "4"]]),
    Sample(testDescription: "no line break at the end", text: "a,b\n1,2", rows: [["1", "2"]]),
    Sample(testDescription: "header alone", text: "a,b\n", rows: []),
    Sample(testDescription: "header alone, unfinished", text: "a,b", rows: []),
    Sample(testDescription: "CR LF", text: "a,b\r\n1,2\r\n3,4", rows: [["1", "2"], ["3", "4"]]),
    Sample(testDescription: "quotes", text: "a,b\n\"1\",\"2\"\n", rows: [["1", "2"]]),
    Sample(testDescription: "comma in quotes", text: "a,b\n\"1,5\",2\n", rows: [["1,5", "2"]]),
    Sample(
      testDescription: "doubled quotes",
      text: "a,b\n\"\"\"x\"\"\",2\n",
      rows: [["\"x\"", "2"]]
    ),
    Sample(
      testDescription: "line break in quotes",
      text: "a,b\n\"1\n2\",3",
      rows: [["1\n2", "3"]]
    ),
    Sample(testDescription: "CR LF in quotes", text: "a,b\n\"1\r\n\",3", rows: [["1\r\n", "3"]]),
    Sample(testDescription: "empty fields", text: "a,b,c\n,,\n", rows: [["", "", ""]]),
    Sample(testDescription: "empty in quotes", text: "a,b\n\"\",\"\"\n", rows: [["", ""]]),
    Sample(testDescription: "spaces stay", text: "a,b\n 1 , 2\n", rows: [[" 1 ", " 2"]]),
    Sample(testDescription: "empty lines", text: "a,b\n\n1,2\n\r\n\n", rows: [["1", "2"]]),
    Sample(
      testDescription: "one field, empty lines",
      text: "a\n\n1\n\"\"\n",
      rows: [[""], ["1"], [""]]
    ),
    Sample(testDescription: "not ASCII", text: "ä,🦊\né,日本\n", rows: [["é", "日本"]]),
    Sample(testDescription: "byte order mark", text: "\u{FEFF}a,b\n1,2\n", rows: [["1", "2"]]),
    Sample(testDescription: "NA is a text", text: "a,b\nNA,\n", rows: [["NA", ""]]),
    Sample(testDescription: "NUL", text: "a,b\n1\u{0}2,3\n", rows: [["1\u{0}2", "3"]]),
  ]

  @Test(arguments: samples)
  func `a file is read as rows of fields`(_ sample: Sample) throws {
    #expect(try Self.rows(of: sample.text, chunkSize: 262_144) == sample.rows)
  }

  @Test(arguments: samples, [1, 2, 3])
  func `the size of chunks does not change the rows`(_ sample: Sample, chunkSize: Int) throws {
    #expect(try Self.rows(of: sample.text, chunkSize: chunkSize) == sample.rows)
  }

  @Test func `the header is available before the first row`() throws {
    let file = try TemporaryTable("\"carrier\",name\nUA,United\n")
    let reader = try CSVReader(path: file.path)
    #expect(reader.header == ["carrier", "name"])
  }

  @Test func `a field is read by its name`() throws {
    let file = try TemporaryTable("carrier,name\nUA,United\n")
    let reader = try CSVReader(path: file.path)
    let row = try #require(try reader.next())
    #expect(try row.text("name") == "United")
    #expect(try row.text("carrier") == "UA")
  }

  @Test func `a field is converted to a value`() throws {
    let file = try TemporaryTable("year,month\n2013,1\n")
    let reader = try CSVReader(path: file.path)
    let row = try #require(try reader.next())
    #expect(try row.value("year", "a year") { Int($0) } == 2013)
  }

  @Test func `a row has the number of its first line`() throws {
    let file = try TemporaryTable("a,b\n\"1\n2\",3\n4,5\n")
    let reader = try CSVReader(path: file.path)
    #expect(try reader.next()?.line == 2)
    #expect(try reader.next()?.line == 4)
    #expect(try reader.next() == nil)
  }

  @Test func `the delimiter is configurable`() throws {
    let file = try TemporaryTable("a\tb\n1,5\t2\n")
    let reader = try CSVReader(path: file.path, delimiter: UInt8(ascii: "\t"))
    #expect(try reader.next()?.texts() == ["1,5", "2"])
  }

  @Test func `bytesRead equals the file's size at the end`() throws {
    let file = try TemporaryTable("a,b\n1,2\n3,4\n")
    let reader = try CSVReader(path: file.path)
    #expect(reader.bytesRead == 4)
    while try reader.next() != nil {}
    #expect(reader.bytesRead == reader.fileSize)
    #expect(reader.fileSize == 12)
  }

  @Test func `next() returns nil each time after the end`() throws {
    let file = try TemporaryTable("a\n1\n")
    let reader = try CSVReader(path: file.path)
    #expect(try reader.next() != nil)
    #expect(try reader.next() == nil)
    #expect(try reader.next() == nil)
  }

  @Test func `any string is read back unchanged after quoting`() throws {
    let letters = ["", "a", ",", "\"", "\n", "\r", "\r\n", "é", "🦊", " "]
    let texts = letters.flatMap { first in letters.map { first + $0 } }
    let rows = zip(texts, texts.reversed()).map { [$0, "x", $1] }
    let text = rows.map { $0.map(Self.quoted).joined(separator: ",") + "\r\n" }.joined()
    #expect(try Self.rows(of: "x,y,z\n" + text, chunkSize: 7) == rows)
  }

  @Test func `written fields are read back unchanged`() throws {
    let fields = ["a", "", " b ", "c,\"d\"", "e\r\nf", "\""]
    let names = fields.indices.map { "n\($0)" }
    let file = try TemporaryTable(CSVText.line(names) + CSVText.line(fields))
    let reader = try CSVReader(path: file.path)
    let row = try #require(try reader.next())
    #expect(try names.map { try row.text($0) } == fields)
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.reduce(into: "") { $0 += $1 == "\"" ? "\"\"" : String($1) } + "\""
  }

  private static func rows(of text: String, chunkSize: Int) throws -> [[String]] {
    let file = try TemporaryTable(text)
    let reader = try CSVReader(path: file.path, chunkSize: chunkSize)
    var rows: [[String]] = []
    while let row = try reader.next() { rows.append(try row.texts()) }
    return rows
  }
}
