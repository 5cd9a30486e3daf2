import StoreProtocol

extension ValueFiles {
  /// Makes sure that a value's file is there and is the one that was written.
  ///
  /// The file is read a piece at a time, so that large values take no memory of their size.
  ///
  /// - Throws: ``ValueFileError`` when the file is gone or not the one that was written.
  package func check(_ reference: FileReference) throws(ValueFileError) {
    try Self.check(try open(reference), reference)
  }

  /// Makes sure that an open file is the one that was written.
  static func check(_ file: File, _ reference: FileReference) throws(ValueFileError) {
    var pieces = ValuePieces(of: file, reference)
    let buffer = pieces.makeBuffer()
    defer { buffer.deallocate() }
    while try pieces.next(into: buffer) != nil {}
  }
}
