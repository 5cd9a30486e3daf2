import CSVFiles
import CommandLineSupport
import Foundation
import Testing

@Suite("TextFileError")
struct CSVErrorTests {
  /// A malformed file, the location that the error names, and a word of its message.
  struct Sample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let location: String
    let word: String
  }

  static let samples = [
    Sample(testDescription: "too few", text: "a,b\n1,2\n3\n", location: ":3:1:", word: "1 fields"),
    Sample(testDescription: "too many", text: "a,b\n1,2,3\n", location: ":2:1:", word: "3 fields"),
    Sample(
      testDescription: "open quote",
      text: "a,b\n1,\"2\n\n",
      location: ":2:3:",
      word: "closed"
    ),
    Sample(
      testDescription: "quote is inside",
      text: "a,b\n1,2\"\n",
      location: ":2:4:",
      word: "quote"
    ),
    Sample(
      testDescription: "characters after a quote",
      text: "a,b\n\"1\"x,2\n",
      location: ":2:4:",
      word: "after"
    ),
    Sample(
      testDescription: "CR alone",
      text: "a,b\n1,2\r3,4\n",
      location: ":2:5:",
      word: "carriage return"
    ),
    Sample(
      testDescription: "after a quoted line break",
      text: "a,b\n\"1\n\"x,2\n",
      location: ":3:2:",
      word: "after"
    ),
    Sample(
      testDescription: "columns count letters",
      text: "a,b\nééé,2\"\n",
      location: ":2:6:",
      word: "quote"
    ),
    Sample(
      testDescription: "lines count in the quotes of others",
      text: "a,b\n\"\n\n\",1\n2\n",
      location: ":5:1:",
      word: "1 fields"
    ),
  ]

  @Test(arguments: samples)
  func `the error for a malformed line names file, line and column`(_ sample: Sample) throws {
    let file = try TemporaryTable(sample.text)
    let reader = try CSVReader(path: file.path)
    let path = file.path
    let error = try #require(throws: TextFileError.self) { while try reader.next() != nil {} }
    #expect(error.description.hasPrefix(path + sample.location))
    #expect(error.description.contains(sample.word))
  }

  @Test func `the error for a missing file names the file and the reason`() throws {
    let error = try #require(throws: TextFileError.self) { try CSVReader(path: "/nowhere/x.csv") }
    #expect(error.description == "/nowhere/x.csv: cannot open the file: No such file or directory")
  }

  @Test func `a folder is refused`() throws {
    let error = try #require(throws: TextFileError.self) { try CSVReader(path: "/") }
    #expect(error.description.contains("Is a directory"))
  }

  @Test func `an empty file is refused, because it has no header`() throws {
    let file = try TemporaryTable("")
    let path = file.path
    let error = try #require(throws: TextFileError.self) { try CSVReader(path: path) }
    #expect(error.description.contains("needs a header"))
  }

  @Test func `a header with a duplicate name is refused`() throws {
    let file = try TemporaryTable("a,b,a\n")
    let path = file.path
    let error = try #require(throws: TextFileError.self) { try CSVReader(path: path) }
    #expect(error.description.contains("'a' twice"))
  }

  @Test func `the error for a missing field lists the header's names`() throws {
    let file = try TemporaryTable("a,b\n1,2\n")
    let reader = try CSVReader(path: file.path)
    let error = try #require(throws: TextFileError.self) { try reader.require(["a", "c"]) }
    #expect(error.description.contains("no field 'c'; it has a, b"))
  }

  @Test func `a conversion error names the field and its string`() throws {
    let file = try TemporaryTable("year,month\n2013,May\n")
    let reader = try CSVReader(path: file.path)
    let row = try #require(try reader.next())
    let error = try #require(throws: TextFileError.self) {
      try row.value("month", "a whole number") { Int($0) }
    }
    #expect(error.position == TextFileError.Position(line: 2, column: 6))
    #expect(error.message == "field 'month': 'May' is not a whole number")
  }

  @Test func `the error for invalid UTF-8 names the field`() throws {
    let file = try TemporaryTable(bytes: Array("a,b\n1,".utf8) + [0xFF, 0x0A])
    let reader = try CSVReader(path: file.path)
    let row = try #require(try reader.next())
    #expect(try row.text("a") == "1")
    let error = try #require(throws: TextFileError.self) { try row.text("b") }
    #expect(error.message == "field 'b': not UTF-8")
    #expect(error.position?.line == 2)
  }

  @Test func `a record longer than the limit is refused`() throws {
    let file = try TemporaryTable("a,b\n1,\"" + String(repeating: "x\n", count: 1_000))
    let reader = try CSVReader(path: file.path, longestRecord: 100)
    let error = try #require(throws: TextFileError.self) { try reader.next() }
    #expect(error.message.contains("more than 100 bytes"))
    #expect(error.position?.line == 2)
  }
}
