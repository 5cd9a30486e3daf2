import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("A store whose creation was interrupted")
struct HalfMadeTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("a.db")
  }

  /// Leaves the first bytes of a database, and a journal that says how many pages it had before.
  private func leave(pages: UInt8) throws {
    try Data("SQLite for".utf8).write(to: URL(filePath: path))
    var journal: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    // No pages in the journal, a number, the pages before, the sizes of a sector and of a page.
    journal += [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, pages, 0, 0, 2, 0, 0, 0, 16, 0]
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    try Data(journal).write(to: URL(filePath: path + "-journal"))
  }

  @Test func `is created again`() throws {
    try leave(pages: 0)
    let store = try SQLiteStore.withFiles(path)
    try store.insert([FileSample.picture("a")])
    #expect(try store.pictures().count == 1)
  }

  @Test func `is distinguished from a short file of another program`() throws {
    try leave(pages: 1)
    let before = try Data(contentsOf: URL(filePath: path))
    #expect {
      try SQLiteStore.withFiles(path)
    } throws: { error in
      (error as? DataStoreError) == .storeDamaged
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  /// The state after a loss of power during the first commit, before the log was synced.
  @Test(arguments: [60..<72, 12..<4_000])
  func `can have any bytes in unsynced frames of its log`(
    _ lost: Range<Int>
  ) throws {
    let store = try SQLiteStore.withFiles(path)
    let copy = try folder.copy()
    withExtendedLifetime(store) {}
    let log = URL(filePath: copy.path("a.db-wal"))
    var bytes = try Data(contentsOf: log)
    // The first frame begins after the header of the log, and has the first page after its own.
    #expect(Array(bytes[32..<36]) == [0, 0, 0, 1])
    for offset in lost { bytes[32 + 24 + offset] = UInt8(truncatingIfNeeded: offset &* 37 | 1) }
    try bytes.write(to: log)
    let made = try SQLiteStore.withFiles(copy.path("a.db"))
    try made.insert([FileSample.picture("a")])
    #expect(try made.pictures().count == 1)
  }
}
