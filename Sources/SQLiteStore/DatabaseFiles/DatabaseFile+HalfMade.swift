import StoreFiles

extension DatabaseFile {
  /// The first bytes of an SQLite rollback journal.
  private static let journalMark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  /// The bytes of a journal's header that have the earlier number of pages of the file.
  private static let pagesBefore = 16..<20
  private static let journalHeaderSize = 28

  /// Whether the creation of the file was interrupted, so that SQLite will empty it again.
  ///
  /// That is so if a rollback journal exists for it that says that the file had no pages.
  func isHalfMade() throws(FileError) -> Bool {
    try journalHeader()?[Self.pagesBefore].allSatisfy { $0 == 0 } ?? false
  }

  private func journalHeader() throws(FileError) -> [UInt8]? {
    guard let journal = try folder.openIfPresent(name + "-journal", for: .reading),
      try journal.status().size >= Self.journalHeaderSize
    else { return nil }
    let header = try journal.bytes(at: 0, count: Self.journalHeaderSize)
    return header.starts(with: Self.journalMark) ? header : nil
  }
}
