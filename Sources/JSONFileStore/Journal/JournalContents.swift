import StoreProtocol

/// The content of a journal's bytes.
///
/// An incomplete record ends the journal if no complete record follows: the save that wrote it
/// never returned. If a complete record follows, the journal is damaged, unless its records were
/// not synced one by one. Then a loss of power may leave such gaps, and the records before the
/// first gap are kept. Padding after the last record is room for the next.
struct JournalContents {
  let header: JournalHeader
  /// The texts of the complete records, in order.
  let records: [Range<Int>]
  /// The index after the last complete record.
  let end: Int
  /// Whether only padding follows.
  let endsWhole: Bool

  /// Parses the bytes of a journal.
  ///
  /// - Throws: `storeDamaged` with the offset, `storeTooNew`, or `storeNotTrusted`.
  init(_ bytes: UnsafeRawBufferPointer, file: String) throws {
    guard
      let range = JournalFrame.record(at: 0, in: bytes, salt: JournalHeader.salt, number: 0)
    else { throw Self.damaged(file, 0) }
    do {
      header = try JournalHeader(bytes, in: range, file: file)
    } catch let error as JSONError {
      throw DocumentFormat.damaged(file, error)
    }
    (records, end) = Self.records(bytes, behind: range.upperBound + 1, header.recordSalt)
    endsWhole = bytes[end...].allSatisfy { $0 == 0x20 }
    guard header.isSynced, !endsWhole else { return }
    if let offset = Self.wholeRecord(after: end, bytes, header, records.count) {
      throw Self.damaged(file, end, next: offset)
    }
  }

  private static func records(
    _ bytes: UnsafeRawBufferPointer,
    behind start: Int,
    _ salt: JournalFrame.Salt
  ) -> (records: [Range<Int>], end: Int) {
    var records: [Range<Int>] = []
    var end = start
    while let range = JournalFrame.record(
      at: end,
      in: bytes,
      salt: salt,
      number: records.count + 1
    ) {
      records.append(range)
      end = range.upperBound + 1
    }
    return (records, end)
  }

  /// Returns the offset of a complete record after the end: at the start of a line, or at the
  /// claimed end of the broken record.
  private static func wholeRecord(
    after end: Int,
    _ bytes: UnsafeRawBufferPointer,
    _ header: JournalHeader,
    _ count: Int
  ) -> Int? {
    var candidates = JournalFrame.claimedEnd(at: end, in: bytes).map { [$0] } ?? []
    for offset in end..<max(bytes.count, end) where bytes[offset] == 0x0A {
      candidates.append(offset + 1)
      // A tail of line ends only must not take quadratic time.
      if candidates.count > 1000 { break }
    }
    // The number of broken records before it is unknown.
    let beginnings = (count + 2...count + candidates.count + 2).map {
      JournalFrame.beginning(header.recordSalt, number: $0)
    }
    return candidates.first { JournalFrame.isRecord(at: $0, in: bytes, beginnings) }
  }

  private static func damaged(_ file: String, _ offset: Int, next: Int? = nil) -> DataStoreError {
    let rest = next.map { "; complete records follow from byte \($0)" } ?? ""
    return DataStoreError(
      .storeDamaged,
      "the journal's record is damaged\(rest); neither file was changed: restore a backup of "
        + "both",
      file: file,
      offset: offset
    )
  }
}
