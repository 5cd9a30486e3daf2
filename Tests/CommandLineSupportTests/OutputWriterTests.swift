import CommandLineSupport
import Foundation
import Testing

@Suite("OutputWriter")
struct OutputWriterTests {
  @Test func `text reaches the descriptor when it is flushed`() throws {
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

  @Test func `a full buffer is written`() throws {
    let file = try TemporaryFile("")
    let descriptor = open(file.path, O_WRONLY)
    defer { close(descriptor) }
    let writer = OutputWriter(descriptor: descriptor, capacity: 4)
    writer.write("abc")
    writer.write("def")
    #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "abcdef")
  }

  @Test func `a refused write is thrown by the flush, and by every later one`() {
    let writer = OutputWriter(descriptor: -1)
    writer.write("lost")
    #expect(throws: OutputWriter.Failure.self) { try writer.flush() }
    writer.write("more")
    #expect(throws: OutputWriter.Failure.self) { try writer.flush() }
  }

  @Test func `a program whose answer is lost does not succeed`() async {
    let program = Command("p", "Prints.") { _, console in console.print("answer") }
    let errors = OutputWriter(descriptor: nil)
    let console = Console(output: OutputWriter(descriptor: -1), errors: errors)
    #expect(await program.run([], environment: [:], console: console) == .failure)
    #expect(errors.pendingText.hasPrefix("p: cannot write the output: "))
  }
}
