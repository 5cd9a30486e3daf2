/// Reads the file of a value a piece at a time, and compares its checksum at its end.
struct ValuePieces {
  private let file: File
  private let reference: FileReference
  private var checksum = CRC32C()
  /// Where the next piece begins.
  private(set) var offset = 0

  init(of file: File, _ reference: FileReference) {
    self.file = file
    self.reference = reference
  }

  /// Makes memory for one piece; the caller frees it.
  func makeBuffer() -> UnsafeMutableRawBufferPointer {
    .allocate(byteCount: min(ValueFiles.pieceSize, max(reference.size, 1)), alignment: 1)
  }

  /// Reads the next piece into the beginning of a buffer.
  ///
  /// - Returns: The piece, nil when there is no more and all of it is what was written.
  /// - Throws: ``ValueFileError`` when the file is not the one that was written.
  mutating func next(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(ValueFileError) -> UnsafeRawBufferPointer? {
    let count = min(ValueFiles.pieceSize, reference.size - offset)
    guard count > 0 else {
      guard checksum.value == reference.checksum else {
        throw .damaged(path: file.path, reason: "since its checksum is another")
      }
      return nil
    }
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    do throws(FileError) {
      try file.read(into: piece, at: offset)
    } catch {
      throw ValueFileError(error)
    }
    offset += count
    let read = UnsafeRawBufferPointer(piece)
    checksum.update(read)
    return read
  }
}
