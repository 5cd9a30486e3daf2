import CommandLineSupport
import Foundation
import Testing

@Suite("OutputWriter")
struct OutputWriterTests {
  @Test func `flush() writes to the descriptor`() throws {
    let file = try TemporaryFile("")
    let descriptor = open(file.path, O_WRONLY)
    defer { close(descriptor) }
    let writer = OutputWriter(descriptor: descriptor)
    writer.write("one ")
    writer.write("two")
    #expect(try String(contentsOfFile: file.path, encoding: .utf8).isEmpty)
    try writer.flush()
    #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "one two")
    #expect(writer.pendingText.isEmpty)
  }

  @Test func `a full buffer is written without a flush`() throws {
    let file = try TemporaryFile("")
    let descriptor = open(file.path, O_WRONLY)
    defer { close(descriptor) }
    let writer = OutputWriter(descriptor: descriptor, capacity: 4)
    writer.write("abc")
    writer.write("def")
    #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "abcdef")
  }

  @Test func `flush() throws after a failed write, and so does each later flush`() {
    let writer = OutputWriter(descriptor: -1)
    writer.write("lost")
    #expect(throws: OutputWriter.Failure.self) { try writer.flush() }
    writer.write("more")
    #expect(throws: OutputWriter.Failure.self) { try writer.flush() }
  }

  @Test func `a program fails if its output cannot be written`() async {
    let program = Command("p", "Prints.") { _, console in console.print("answer") }
    let errors = OutputWriter(descriptor: nil)
    let console = Console(output: OutputWriter(descriptor: -1), errors: errors)
    #expect(await program.run([], environment: [:], console: console) == .failure)
    #expect(errors.pendingText.hasPrefix("p: cannot write the output: "))
  }
}
