import StoreProtocol

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

  /// Throws if there is no folder, although rows refer to files in it.
  ///
  /// - Parameter isNeeded: Returns whether a row refers to a file; called only if there is no
  ///   folder.
  /// - Throws: ``DataStoreError/storeDamaged``, the errors of the closure, and ``FileError``.
  package func requireFolder(if isNeeded: () throws -> Bool) throws {
    // Another process may create the folder, and then save a row, in between.
    guard try folder() == nil, try isNeeded(), try folder() == nil else { return }
    throw DataStoreError(
      .storeDamaged,
      "the folder with large values of the store is missing; restore it beside the store's file, or "
        + "create an empty folder there to open the store without these values",
      file: parent.path(of: name)
    )
  }
}
