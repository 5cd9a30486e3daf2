import CommandLineSupport
import Foundation
import Testing

@Suite("Terminal")
struct TerminalTests {
  @Test func `a file is not a terminal and has the default width`() throws {
    let file = try TemporaryFile("")
    let descriptor = open(file.path, O_RDONLY)
    defer { close(descriptor) }
    #expect(!Terminal.isTerminal(descriptor))
    #expect(Terminal.width(of: descriptor) == 80)
  }

  @Test func `a terminal reports its width`() throws {
    let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var size = winsize(ws_row: 24, ws_col: 132, ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0)
    #expect(Terminal.isTerminal(descriptor))
    #expect(Terminal.width(of: descriptor) == 132)
  }
}
