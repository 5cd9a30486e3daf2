import CommandLineSupport
import Testing

@Suite("LineReader")
struct LineReaderTests {
  private static func lines(_ text: String) throws -> [String] {
    let file = try TemporaryFile(text)
    var reader = try LineReader(path: file.path)
    var lines: [String] = []
    while let line = try reader.next() {
      lines.append("\(reader.number) \(String(decoding: line, as: UTF8.self))")
    }
    return lines
  }

  @Test func `lines are numbered and have no line breaks`() throws {
    #expect(try Self.lines("a\r\n\nb") == ["1 a", "2 ", "3 b"])
    #expect(try Self.lines("a\n") == ["1 a"])
    #expect(try Self.lines("") == [])
  }

  @Test func `a line may be longer than the buffer`() throws {
    let long = String(repeating: "x", count: 200_000)
    #expect(try Self.lines("\(long)\ny\n") == ["1 \(long)", "2 y"])
  }

  @Test func `the error for a line that is too long names its number`() throws {
    let file = try TemporaryFile("a\n" + String(repeating: "x", count: 100))
    var reader = try LineReader(path: file.path, longest: 50)
    _ = try reader.next()
    do {
      _ = try reader.next()
      Issue.record("the line was read")
    } catch {
      #expect("\(error)" == "\(file.path):2:1: the line is too long")
    }
  }

  @Test func `the error for a missing file names the file`() {
    do {
      _ = try LineReader(path: "/nowhere/file")
      Issue.record("there is such a file")
    } catch {
      #expect("\(error)".hasPrefix("/nowhere/file: cannot open the file"))
    }
  }
}
