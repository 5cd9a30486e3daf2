extension ValueFiles {
  /// Takes over the files of another store that are not here yet, on the medium.
  ///
  /// A file never changes under its name, so that one that is here is the same.
  ///
  /// - Throws: ``ValueFileError`` for a file that is not what was saved, ``FileError`` where the
  ///   system refuses to write; files that were taken over then have no row.
  package func adopt(_ references: some Sequence<FileReference>, from other: ValueFiles) throws {
    var known = Set(try names())
    for reference in references where known.insert(reference.name).inserted {
      let folder = try madeFolder()
      let source = try other.open(reference)
      let target = try folder.open(reference.name, for: .creating)
      var pieces = ValuePieces(of: source, reference)
      let buffer = pieces.makeBuffer()
      defer { buffer.deallocate() }
      var offset = 0
      while let piece = try pieces.next(into: buffer) {
        try target.write(piece, at: offset)
        offset = pieces.offset
      }
      if policy == .medium { try target.sync() }
    }
    try settle()
  }
}
