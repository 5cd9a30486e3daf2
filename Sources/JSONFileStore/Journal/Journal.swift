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
      size: content.count
    )
  }

  /// Appends a record and brings it as far as the journal's policy says.
  ///
  /// - Throws: `ReplacementError.unchanged` when the record is not in the file, now and after a
  ///   loss of power; the journal can be used further. `ReplacementError.unknown` when nobody can
  ///   tell; then the journal must not be used again.
  mutating func append(_ text: [UInt8]) throws(ReplacementError) {
    let record = JournalFrame.framed(text, salt: salt, number: count + 1)
    do throws(FileError) {
      try file.write(record, at: size)
    } catch {
      try takeBack(error)
      throw .unchanged(error)
    }
    if policy == .medium, !PlantedFault.noJournalSync.isPlanted {
      do throws(FileError) {
        try file.syncContent()
      } catch {
        // What could not be written is dropped by the system and a second sync would succeed
        // without it (RELIABILITY.md, finding 5).
        if !PlantedFault.retriesSync.isPlanted { throw Self.unknown(error) }
      }
    }
    size += record.count
    count += 1
  }

  /// Cuts off what a failed write may have left.
  private func takeBack(_ cause: FileError) throws(ReplacementError) {
    do throws(FileError) {
      try file.truncate(to: size)
      // Also where records are not synced: a save that was refused must not come back.
      if filePolicy == .medium { try file.sync() }
    } catch {
      throw Self.unknown(cause)
    }
  }

  private static func unknown(_ cause: FileError) -> ReplacementError {
    PlantedFault.deniesUnknownOutcome.isPlanted ? .unchanged(cause) : .unknown(cause)
  }
}
