/// Source by byte offset, with its location in its file.
package struct SourceText {
  package let bytes: [UInt8]
  let fileName: String
  /// The offset in the file of the first byte.
  let offset: Int
  /// The line in the file of the first byte, counted from 1.
  let line: Int

  package init(_ source: String, fileName: String = "", offset: Int = 0, line: Int = 1) {
    bytes = Array(source.utf8)
    self.fileName = fileName
    self.offset = offset
    self.line = line
  }

  init(_ syntax: HostSyntax) {
    self.init(
      syntax.source,
      fileName: syntax.location.fileName,
      offset: syntax.location.offset,
      line: syntax.location.line ?? 1
    )
  }

  /// Returns the line in the file of the byte at an offset.
  func line(at offset: Int) -> Int {
    bytes.prefix(offset).reduce(line) { $1 == Byte.newline ? $0 + 1 : $0 }
  }

  /// The source of some bytes; offsets outside of it are left out.
  package subscript(range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: bytes.indices)], as: UTF8.self)
  }

  /// The byte at an offset, or 0 outside of the source.
  subscript(index: Int) -> UInt8 {
    bytes.indices.contains(index) ? bytes[index] : 0
  }
}
