/// Reads the file of a value in pieces, and compares its checksum at the end.
struct ValuePieces {
  private let file: File
  private let reference: FileReference
  private var checksum = CRC32C()
  /// The start of the next piece.
  private(set) var offset = 0

  init(of file: File, _ reference: FileReference) {
    self.file = file
    self.reference = reference
  }

  /// Allocates memory for one piece; the caller frees it.
  func makeBuffer() -> UnsafeMutableRawBufferPointer {
    .allocate(byteCount: min(ValueFiles.pieceSize, max(reference.size, 1)), alignment: 1)
  }

  /// Reads the next piece into the start of a buffer.
  ///
  /// - Returns: The piece, or `nil` if there is no more and the whole file is the one that was
  ///   written.
  /// - Throws: ``ValueFileError`` if the file is not the one that was written.
  mutating func next(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(ValueFileError) -> UnsafeRawBufferPointer? {
    let count = min(ValueFiles.pieceSize, reference.size - offset)
    guard count > 0 else {
      guard checksum.value == reference.checksum else {
        throw .damaged(path: file.path, reason: "its checksum differs")
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
