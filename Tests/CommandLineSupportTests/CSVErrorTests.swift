import CommandLineSupport
import Foundation
import Testing

@Suite("CSVError")
struct CSVErrorTests {
  /// A malformed text, the place that the error names, and a word of its message.
  struct Sample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let place: String
    let word: String
  }

  static let samples = [
    Sample(testDescription: "too few", text: "a,b\n1,2\n3\n", place: ":3:1:", word: "1 fields"),
    Sample(testDescription: "too many", text: "a,b\n1,2,3\n", place: ":2:1:", word: "3 fields"),
    Sample(testDescription: "open quote", text: "a,b\n1,\"2\n\n", place: ":2:3:", word: "closed"),
    Sample(testDescription: "quote is inside", text: "a,b\n1,2\"\n", place: ":2:4:", word: "quote"),
    Sample(
      testDescription: "characters after a quote",
      text: "a,b\n\"1\"x,2\n",
      place: ":2:4:",
      word: "after"
    ),
    Sample(
      testDescription: "CR alone",
      text: "a,b\n1,2\r3,4\n",
      place: ":2:5:",
      word: "carriage return"
    ),
    Sample(
      testDescription: "after a quoted line break",
      text: "a,b\n\"1\n\"x,2\n",
      place: ":3:2:",
      word: "after"
    ),
    Sample(
      testDescription: "columns count letters",
      text: "a,b\nééé,2\"\n",
      place: ":2:6:",
      word: "quote"
    ),
    Sample(
      testDescription: "lines count in the quotes of others",
      text: "a,b\n\"\n\n\",1\n2\n",
      place: ":5:1:",
      word: "1 fields"
    ),
  ]

  @Test(arguments: samples)
  func `a malformed line names file, line and column`(_ sample: Sample) throws {
    let file = try TemporaryFile(sample.text)
    let reader = try CSVReader(path: file.path)
    let path = file.path
    let error = try #require(throws: CSVError.self) { while try reader.next() != nil {} }
    #expect(error.description.hasPrefix(path + sample.place))
    #expect(error.description.contains(sample.word))
  }

  @Test func `a file that is not there is named with the reason`() throws {
    let error = try #require(throws: CSVError.self) { try CSVReader(path: "/nowhere/x.csv") }
    #expect(error.description == "/nowhere/x.csv: cannot open the file: No such file or directory")
  }

  @Test func `a folder is no file`() throws {
    let error = try #require(throws: CSVError.self) { try CSVReader(path: "/") }
    #expect(error.description.contains("Is a directory"))
  }

  @Test func `an empty file needs a header`() throws {
    let file = try TemporaryFile("")
    let path = file.path
    let error = try #require(throws: CSVError.self) { try CSVReader(path: path) }
    #expect(error.description.contains("needs a header"))
  }

  @Test func `a header has each name once`() throws {
    let file = try TemporaryFile("a,b,a\n")
    let path = file.path
    let error = try #require(throws: CSVError.self) { try CSVReader(path: path) }
    #expect(error.description.contains("'a' twice"))
  }

  @Test func `a name that the header lacks is an error that lists its names`() throws {
    let file = try TemporaryFile("a,b\n1,2\n")
    let reader = try CSVReader(path: file.path)
    let error = try #require(throws: CSVError.self) { try reader.require(["a", "c"]) }
    #expect(error.description.contains("no field 'c'; it has a, b"))
  }

  @Test func `a field that does not convert names itself and its text`() throws {
    let file = try TemporaryFile("year,month\n2013,May\n")
    let reader = try CSVReader(path: file.path)
    let row = try #require(try reader.next())
    let error = try #require(throws: CSVError.self) {
      try row.value("month", "a whole number") { Int($0) }
    }
    #expect(error.position == CSVError.Position(line: 2, column: 6))
    #expect(error.message == "field 'month': 'May' is not a whole number")
  }

  @Test func `bytes that are not UTF-8 are found in their field`() throws {
    let file = try TemporaryFile(bytes: Array("a,b\n1,".utf8) + [0xFF, 0x0A])
    let reader = try CSVReader(path: file.path)
    let row = try #require(try reader.next())
    #expect(try row.text("a") == "1")
    let error = try #require(throws: CSVError.self) { try row.text("b") }
    #expect(error.message == "field 'b': not UTF-8")
    #expect(error.position?.line == 2)
  }

  @Test func `a record that never ends stops at the limit`() throws {
    let file = try TemporaryFile("a,b\n1,\"" + String(repeating: "x\n", count: 1_000))
    let reader = try CSVReader(path: file.path, longestRecord: 100)
    let error = try #require(throws: CSVError.self) { try reader.next() }
    #expect(error.message.contains("more than 100 bytes"))
    #expect(error.position?.line == 2)
  }
}
