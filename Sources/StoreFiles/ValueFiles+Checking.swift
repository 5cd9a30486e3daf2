import StoreProtocol

extension ValueFiles {
  /// Makes sure that a value's file is there and is the one that was written.
  ///
  /// The file is read a piece at a time, so that large values take no memory of their size.
  ///
  /// - Throws: ``ValueFileError`` when the file is gone or not the one that was written.
  package func check(_ reference: FileReference) throws(ValueFileError) {
    var pieces = ValuePieces(of: try open(reference), reference)
    let buffer = pieces.makeBuffer()
    defer { buffer.deallocate() }
    while try pieces.next(into: buffer) != nil {}
  }
}
