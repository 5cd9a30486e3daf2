import StoreProtocol

extension ValueFiles {
  /// Makes sure that a value's file is there and is the one that was written.
  ///
  /// The file is read a piece at a time, so that large values take no memory of their size.
  ///
  /// - Throws: ``ValueFileError`` when the file is gone or not the one that was written.
  package func check(_ reference: FileReference) throws(ValueFileError) {
    let file = try open(reference)
    var checksum = CRC32C()
    var offset = 0
    while offset < reference.size {
      let count = min(Self.pieceSize, reference.size - offset)
      do throws(FileError) {
        try file.bytes(at: offset, count: count).withUnsafeBytes { checksum.update($0) }
      } catch {
        throw ValueFileError(error)
      }
      offset += count
    }
    guard checksum.value == reference.checksum else {
      throw .damaged(path: file.path, reason: "since its checksum is another")
    }
  }
}
