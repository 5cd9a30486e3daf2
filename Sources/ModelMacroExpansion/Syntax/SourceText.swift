/// Source text by byte offset, with where it stands in its file.
struct SourceText {
  let bytes: [UInt8]
  let fileName: String
  /// The offset in the file of the first byte.
  let offset: Int

  init(_ source: String, fileName: String = "", offset: Int = 0) {
    bytes = Array(source.utf8)
    self.fileName = fileName
    self.offset = offset
  }

  init(_ syntax: HostSyntax) {
    self.init(
      syntax.source,
      fileName: syntax.location.fileName,
      offset: syntax.location.offset
    )
  }

  /// The text of some bytes; offsets outside the text are left out.
  subscript(range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: bytes.indices)], as: UTF8.self)
  }

  /// The byte at an offset, or 0 outside the text.
  subscript(index: Int) -> UInt8 {
    bytes.indices.contains(index) ? bytes[index] : 0
  }
}
