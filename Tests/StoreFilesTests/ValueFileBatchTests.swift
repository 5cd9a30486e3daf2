import Foundation
import StoreProtocol
import StoreTestSupport
import Testing

@testable import StoreFiles

@Suite struct ValueFileBatchTests {
  private let folder: TemporaryFolder
  private let access = FaultyFileAccess()
  private let files: ValueFiles

  init() throws {
    folder = try TemporaryFolder()
    files = ValueFiles(of: "a.db", in: try folder.folder(access: access), policy: .disk)
  }

  private func write(_ byte: UInt8, _ batch: ValueFileBatch) throws -> FileReference {
    try [byte].withUnsafeBytes { try batch.write($0, entity: "Trip", property: "photo") }
  }

  @Test func `a committed save keeps its own files and removes the old ones`() throws {
    let first = ValueFileBatch(files, threshold: 0)
    let (old, kept) = (try write(1, first), try write(2, first))
    try first.syncNames()
    first.commit(isDurable: true)
    let second = ValueFileBatch(files, threshold: 0)
    let new = try write(3, second)
    second.release(old)
    second.release(kept)
    second.keep(kept)
    try second.syncNames()
    #expect(try files.names().count == 3)
    second.commit(isDurable: true)
    #expect(try files.names() == [kept.name, new.name].sorted())
  }

  @Test func `a save that fails before its commit deletes its files`() throws {
    let batch = ValueFileBatch(files, threshold: 0)
    let reference = try write(1, batch)
    batch.release(reference)
    batch.rollBack(after: DataStoreError.conflict)
    #expect(try files.names() == [])
  }

  @Test func `an indeterminate commit keeps all files`() throws {
    let batch = ValueFileBatch(files, threshold: 0)
    let reference = try write(1, batch)
    try batch.syncNames()
    batch.rollBack(after: DataStoreError.outcomeUnknown)
    #expect(try files.names() == [reference.name])
  }

  @Test func `a commit that certainly failed deletes its files`() throws {
    let batch = ValueFileBatch(files, threshold: 0)
    _ = try write(1, batch)
    try batch.syncNames()
    batch.rollBack(after: DataStoreError.notSaved)
    #expect(try files.names() == [])
  }

  @Test func `a restarted save deletes the files of its first attempt`() throws {
    let batch = ValueFileBatch(files, threshold: 0)
    _ = try write(1, batch)
    batch.restart()
    let second = try write(2, batch)
    try batch.syncNames()
    batch.commit(isDurable: true)
    #expect(try files.names() == [second.name])
  }

  @Test func `released files are kept until the save is durable`() throws {
    let first = ValueFileBatch(files, threshold: 0)
    let reference = try write(1, first)
    let second = ValueFileBatch(files, threshold: 0)
    second.release(reference)
    second.commit(isDurable: false)
    #expect(try files.names() == [reference.name])
    files.noteDurable()
    #expect(try files.names() == [])
  }

  @Test func `a failed write throws notSaved and names the property`() throws {
    let batch = ValueFileBatch(files, threshold: 0)
    access.reset(.from(call: 0, code: ENOSPC))
    let error = #expect(throws: DataStoreError.self) { try write(1, batch) }
    #expect(error == .notSaved)
    #expect(error?.entity == "Trip")
    #expect(error?.property == "photo")
    #expect(error?.file?.contains("a.db.files") == true)
  }
}
