import StoreFiles
import StoreProtocol

/// The open journal of a store, to which saves are appended.
struct Journal: Sendable {
  private let file: File
  private let salt: JournalFrame.Salt
  /// How far records are brought, and the file as a whole.
  private let policy: SyncPolicy
  private let filePolicy: SyncPolicy
  /// What the system said about the file when it was made; which file it is does not change.
  let status: FileStatus
  /// The number of records, without the header.
  private(set) var count: Int
  /// The size up to the last whole record.
  private(set) var size: Int
  /// The size of the file, in which blanks may follow the last record.
  private(set) var fileSize: Int

  /// Makes a journal in the place of what was there, with the records of an older one.
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
    var status: FileStatus?
    let file = try folder.replace(name, policy: policy) { (file) throws(FileError) in
      try file.write(content, at: 0)
      status = try file.status()
    }
    guard let status else {
      throw .unknown(FileError(.status, path: file.path, code: FileError.unexpectedEnd))
    }
    return Journal(
      file: file,
      salt: header.recordSalt,
      policy: header.isSynced ? .medium : .system,
      filePolicy: policy,
      status: status,
      count: records.count,
      size: content.count,
      fileSize: content.count
    )
  }

  /// Appends a record and brings it as far as the journal's policy says.
  ///
  /// - Parameters:
  ///   - text: The record.
  ///   - limit: The size up to which room is made behind the record.
  /// - Throws: `ReplacementError.unchanged` when the record is not in the file, now and after a
  ///   loss of power; the journal can be used further. `ReplacementError.unknown` when nobody can
  ///   tell; then the journal must not be used again.
  mutating func append(_ text: [UInt8], upTo limit: Int) throws(ReplacementError) {
    let record = JournalFrame.framed(text, salt: salt, number: count + 1)
    let room = min(room(for: record.count), max(0, limit - size - record.count))
    do throws(FileError) {
      try file.write(room > 0 ? record + [UInt8](repeating: 0x20, count: room) : record, at: size)
    } catch {
      try takeBack(error)
      throw .unchanged(error)
    }
    if policy == .medium {
      do throws(FileError) {
        try file.syncContent()
      } catch {
        // What could not be written is dropped by the system and a second sync would succeed
        // without it (RELIABILITY.md, finding 5).
        throw Self.unknown(error)
      }
    }
    size += record.count
    fileSize = max(fileSize, size + room)
    count += 1
  }

  /// How many blanks to write behind a record, for the next ones to be written over.
  ///
  /// A file system syncs what it knows of a file together with the bytes that make it longer, but not
  /// with bytes in the place of others: that is a third of what a durable save costs. Where nothing is
  /// synced there is nothing to gain.
  private func room(for recordSize: Int) -> Int {
    let end = size + recordSize
    guard policy == .medium, end > fileSize else { return 0 }
    let step = end < Self.largeStep ? Self.smallStep : Self.largeStep
    return step - end % step
  }

  /// The size of a journal with room is a multiple of the first as long as it is below the second, and
  /// of the second from there on.
  private static let smallStep = 4 << 10
  private static let largeStep = 64 << 10

  /// Cuts off what a failed write may have left.
  private mutating func takeBack(_ cause: FileError) throws(ReplacementError) {
    do throws(FileError) {
      try file.truncate(to: size)
      fileSize = size
      // Also where records are not synced: a save that was refused must not come back.
      if filePolicy == .medium { try file.sync() }
    } catch {
      throw Self.unknown(cause)
    }
  }

  private static func unknown(_ cause: FileError) -> ReplacementError {
    .unknown(cause)
  }
}
