import Foundation

/// A text file that is read line by line, in constant memory.
package struct LineReader: ~Copyable {
  private var file: ChunkedFile
  private let longest: Int

  /// The number of the last line that was read, from 1.
  package private(set) var number = 0

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file; `-` is standard input.
  ///   - longest: The largest number of bytes of a line.
  /// - Throws: ``TextFileError`` with the file and the system's message.
  package init(path: String, longest: Int = 1 << 28) throws {
    file = try ChunkedFile(path: path == "-" ? "/dev/stdin" : path, chunkSize: 1 << 16)
    self.longest = longest
  }

  /// Reads the next line, without its line break.
  ///
  /// - Returns: The bytes, or `nil` at the end of the file.
  /// - Throws: ``TextFileError`` if the system refuses or the line is too long.
  package mutating func next() throws -> [UInt8]? {
    var line: [UInt8] = []
    var isAtEnd = true
    while true {
      let bytes = try file.bufferedBytes()
      if bytes.isEmpty { break }
      isAtEnd = false
      let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
      line.append(contentsOf: bytes[bytes.startIndex..<end])
      guard line.count <= longest else {
        let position = TextFileError.Position(line: number + 1, column: 1)
        throw TextFileError(file: file.path, position: position, message: "the line is too long")
      }
      let isWhole = end < bytes.endIndex
      file.advance(by: end - bytes.startIndex + (isWhole ? 1 : 0))
      if isWhole { break }
    }
    if isAtEnd { return nil }
    number += 1
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
