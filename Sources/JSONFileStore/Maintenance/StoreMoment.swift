import StoreFiles

/// An open store as it is at one moment, for who looks at it for longer while others save.
///
/// The document's file never changes, since documents are replaced whole, and the journal's is only
/// appended to: what was in both when they were opened can be read at any time later.
struct StoreMoment: Sendable {
  /// An open file with the part of it that counts.
  struct Part: Sendable {
    let file: File
    let size: Int

    var bytes: [UInt8] {
      get throws(FileError) { try file.bytes(at: 0, count: size) }
    }
  }

  let state: StoreState
  let generation: Int64
  let document: Part
  /// The checksum of the document, where this process wrote it or needed it so far.
  let documentChecksum: UInt32?
  let journal: Part?
  /// Whether the journal ends with a whole record, as this process left it.
  let endsWhole: Bool

  /// Opens the files of a store, which must not be written meanwhile.
  ///
  /// - Throws: `storeReplaced` when the files are not those that the store knows, or `FileError`.
  init(_ state: StoreState, _ files: StoreFolder) throws {
    try files.checkFiles()
    self.state = state
    generation = files.generation
    documentChecksum = files.documentChecksum
    endsWhole = files.journal != nil
    let file = try files.folder.open(files.name, for: .reading)
    document = Part(file: file, size: try file.status().size)
    journal = try files.folder.openIfPresent(files.journalName, for: .reading).map { file in
      Part(file: file, size: try files.journal?.size ?? file.status().size)
    }
  }
}
