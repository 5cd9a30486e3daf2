import Foundation
import StoreTestSupport

/// Lines between the process of a test and one that it has started.
final class FarmChannel {
  private let input: CInt
  private let output: CInt
  /// How long to wait for a line, in milliseconds.
  ///
  /// A process that starts may have to wait for other tests. One whose test is gone must end.
  private let patience: CInt
  private var buffer: [UInt8] = []

  /// Makes the two pipes in a folder.
  static func make(in folder: TemporaryFolder) throws {
    for name in ["to", "from"] where mkfifo(folder.file(name).path, 0o600) != 0 {
      throw Difference("no pipe can be made in \(folder.url.path)")
    }
  }

  /// Opens the pipes in a folder.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - isStarted: Whether this is the process that was started.
  /// - Throws: ``Difference`` if the pipes are not there.
  init(_ folder: String, isStarted: Bool) throws {
    // For both directions, so that opening does not wait for the other process.
    let flags = O_RDWR | O_CLOEXEC
    input = open(folder + (isStarted ? "/to" : "/from"), flags)
    output = open(folder + (isStarted ? "/from" : "/to"), flags)
    patience = isStarted ? 600_000 : -1
    guard input >= 0, output >= 0 else { throw Difference("there are no pipes in \(folder)") }
  }

  deinit {
    close(input)
    close(output)
  }

  func send(_ text: String) throws {
    let line = text.split(separator: "\n").joined(separator: " ") + "\n"
    var rest = Array(line.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Difference("the other process cannot be reached") }
      rest = rest.dropFirst(count)
    }
  }

  func receive() throws -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...end) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      var waiting = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      let found = poll(&waiting, 1, patience)
      if found < 0, errno == EINTR { continue }
      let count =
        found == 1 ? bytes.withUnsafeMutableBytes { read(input, $0.baseAddress, $0.count) } : 0
      guard count > 0 else { throw Difference("the other process does not respond") }
      buffer += bytes.prefix(count)
    }
  }
}
