/// Source by byte offset, with its location in its file.
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

  /// The source of some bytes; offsets outside of it are left out.
  subscript(range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: bytes.indices)], as: UTF8.self)
  }

  /// The byte at an offset, or 0 outside of the source.
  subscript(index: Int) -> UInt8 {
    bytes.indices.contains(index) ? bytes[index] : 0
  }
}
