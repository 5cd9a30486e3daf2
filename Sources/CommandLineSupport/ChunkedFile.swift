import Foundation

/// A file that is read byte by byte, and in chunks from the system.
package struct ChunkedFile: ~Copyable {
  /// The file as the user named it.
  package let path: String
  /// The size when the file was opened, or 0 if it is not a regular file.
  package let size: Int

  private let descriptor: Int32
  private var chunk: [UInt8]
  private var count = 0
  private var offset = 0
  private var isAtEnd = false

  /// Opens a file.
  ///
  /// - Throws: ``TextFileError`` with the system's message.
  package init(path: String, chunkSize: Int) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.error("cannot open the file", path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      close(descriptor)
      throw Self.error("cannot inspect the file", path)
    }
    self.path = path
    self.descriptor = descriptor
    size = Int(status.st_size)
    chunk = [UInt8](repeating: 0, count: max(1, chunkSize))
  }

  deinit {
    close(descriptor)
  }

  /// Returns the next byte, or `nil` at the end.
  package mutating func peek() throws -> UInt8? {
    if offset == count, try !readChunk() { return nil }
    return chunk[offset]
  }

  /// Returns the bytes in memory that were not skipped; none only at the end.
  package mutating func bufferedBytes() throws -> ArraySlice<UInt8> {
    if offset == count { _ = try readChunk() }
    return chunk[offset..<count]
  }

  /// Skips bytes.
  package mutating func advance(by distance: Int) {
    offset += distance
  }

  private mutating func readChunk() throws -> Bool {
    if isAtEnd { return false }
    var received: Int
    repeat {
      received = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    } while received < 0 && errno == EINTR
    guard received >= 0 else { throw Self.error("cannot read the file", path) }
    offset = 0
    count = received
    isAtEnd = received == 0
    return received > 0
  }

  private static func error(_ what: String, _ path: String) -> TextFileError {
    TextFileError(
      file: path,
      position: nil,
      message: "\(what): \(String(cString: strerror(errno)))"
    )
  }
}
