import StoreFiles

/// An open store as of one moment, for a longer examination while others save.
///
/// The document's file never changes, because documents are replaced as a whole, and the journal's
/// file is only appended to. The content of both at the time of opening can therefore be read
/// later.
struct StoreMoment: Sendable {
  /// An open file with the part of it that is valid.
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
  /// The checksum of the document, or `nil` if this process has neither written nor needed it yet.
  let documentChecksum: UInt32?
  let journal: Part?
  /// Whether the journal ends with a complete record, as this process left it.
  let endsWhole: Bool

  /// Opens the files of a store, which must not be written meanwhile.
  ///
  /// - Throws: `storeReplaced` if the files are not those that the store opened, or `FileError`.
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
