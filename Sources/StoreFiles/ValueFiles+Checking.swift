extension ValueFiles {
  /// Checks that a value's file exists and is the one that was written.
  ///
  /// The file is read in pieces, so that large values do not take memory of their size.
  ///
  /// - Throws: ``ValueFileError`` if the file is missing or not the one that was written.
  package func check(_ reference: FileReference) throws(ValueFileError) {
    try Self.check(try open(reference), reference)
  }

  /// Checks that an open file is the one that was written.
  static func check(_ file: File, _ reference: FileReference) throws(ValueFileError) {
    var pieces = ValuePieces(of: file, reference)
    let buffer = pieces.makeBuffer()
    defer { buffer.deallocate() }
    while try pieces.next(into: buffer) != nil {}
  }
}
