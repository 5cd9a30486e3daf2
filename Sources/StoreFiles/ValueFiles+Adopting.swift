extension ValueFiles {
  /// Copies missing files of another store, and syncs them to disk.
  ///
  /// A file never changes under its name, so an existing file is the same.
  ///
  /// - Throws: ``ValueFileError`` for a file that is not the saved one, ``FileError`` if the system
  ///   fails to write; then files that were copied have no row.
  package func adopt(_ references: some Sequence<FileReference>, from other: ValueFiles) throws {
    var present = Set(try names())
    for reference in references where present.insert(reference.name).inserted {
      try other.copy(reference, to: try madeFolder(), isSynced: policy == .disk)
    }
    try syncNames()
  }

  /// Copies a file under its name to another folder, which has no file with that name.
  ///
  /// - Throws: ``ValueFileError`` for a file that is not the saved one, ``FileError`` if the system
  ///   fails to write.
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
