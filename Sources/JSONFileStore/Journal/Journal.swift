import StoreFiles

/// The open journal of a store, to which saves are appended.
struct Journal: Sendable {
  private let file: File
  private let salt: JournalFrame.Salt
  /// The durability of records, and of the file as a whole.
  private let policy: SyncPolicy
  private let filePolicy: SyncPolicy
  /// The status of the file when it was created; its identity does not change.
  let status: FileStatus
  /// The number of records, without the header.
  private(set) var count: Int
  /// The size up to the last complete record.
  private(set) var size: Int
  /// The size of the file, in which padding may follow the last record.
  private(set) var fileSize: Int

  /// Replaces the journal by a new one with the records of an older one.
  static func make(
    _ name: String,
    in folder: Folder,
    header: JournalHeader,
    records: [[UInt8]] = [],
    policy: SyncPolicy
  ) throws(ReplacementError) -> Journal {
    var bytes = header.bytes
    for (index, text) in records.enumerated() {
      bytes += JournalFrame.framed(text, salt: header.recordSalt, number: index + 1)
    }
    let content = bytes
    let made = try folder.replace(name, policy: policy) { (file) throws(FileError) in
      try file.write(content, at: 0)
    }
    return Journal(
      file: made.file,
      salt: header.recordSalt,
      policy: header.isSynced ? .disk : .system,
      filePolicy: policy,
      status: made.status,
      count: records.count,
      size: content.count,
      fileSize: content.count
    )
  }

  /// Appends a record, which is durable after ``sync()``.
  ///
  /// - Parameters:
  ///   - text: The record.
  ///   - limit: The size up to which the file is padded after the record.
  /// - Throws: `ReplacementError.unchanged` if the record is not in the file, even after a loss of
  ///   power; the journal remains usable. `ReplacementError.unknown` if the outcome is unknown;
  ///   then the journal must not be used again.
  mutating func append(_ text: [UInt8], upTo limit: Int) throws(ReplacementError) {
    var bytes = JournalFrame.framed(text, salt: salt, number: count + 1)
    let end = size + bytes.count
    // Without syncs, padding has no benefit.
    if end > fileSize, policy == .disk { bytes += Self.padding(from: end, upTo: limit) }
    do throws(FileError) {
      try file.write(bytes, at: size)
    } catch {
      try undoAppend(error)
      throw .unchanged(error)
    }
    fileSize = max(fileSize, size + bytes.count)
    size = end
    count += 1
  }

  /// Makes all records durable according to the journal's policy.
  ///
  /// - Throws: `ReplacementError.unknown`; then the journal must not be used again.
  func sync() throws(ReplacementError) {
    if policy == .disk {
      do throws(FileError) {
        try file.syncContent()
      } catch {
        // The system drops data that could not be written, and a second sync would succeed without
        // it (RELIABILITY.md, finding 5).
        throw .unknown(error)
      }
    }
  }

  /// Returns the padding to write after a record that extends the file, which later records
  /// overwrite.
  ///
  /// For bytes that extend a file, a file system also syncs the file's metadata, but not for bytes
  /// that overwrite others. This saves a third of the cost of a durable save.
  private static func padding(from end: Int, upTo limit: Int) -> [UInt8] {
    let step = end < largeStep ? smallStep : largeStep
    return [UInt8](repeating: 0x20, count: min(step - end % step, max(0, limit - end)))
  }

  /// A padded journal's size is a multiple of the first step while it is below the second, and of
  /// the second from there on.
  private static let smallStep = 4 << 10
  private static let largeStep = 64 << 10

  /// Truncates what a failed write may have left.
  private mutating func undoAppend(_ cause: FileError) throws(ReplacementError) {
    do throws(FileError) {
      try file.truncate(to: size)
      fileSize = size
      // Even if records are not synced: a rejected save must not reappear.
      if filePolicy == .disk { try file.sync() }
    } catch {
      throw .unknown(cause)
    }
  }
}
