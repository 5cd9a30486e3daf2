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
      try other.copy(reference, to: try madeFolder(), isSynced: policy == .medium)
    }
    try settle()
  }

  /// Copies a file under its name into another folder, which has none of that name.
  ///
  /// - Throws: ``ValueFileError`` for a file that is not what was saved, ``FileError`` where the
  ///   system refuses to write.
  func copy(_ reference: FileReference, to folder: Folder, isSynced: Bool) throws {
    let source = try open(reference)
    let target = try folder.open(reference.name, for: .creating)
    var pieces = ValuePieces(of: source, reference)
    let buffer = pieces.makeBuffer()
    defer { buffer.deallocate() }
    var offset = 0
    while let piece = try pieces.next(into: buffer) {
      try target.write(piece, at: offset)
      offset = pieces.offset
    }
    if isSynced { try target.sync() }
  }
}
