import Foundation
import StoreProtocol
import StoreTestSupport
import Testing

@testable import StoreFiles

@Suite struct ValueFilesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func files(
    _ policy: SyncPolicy = .disk,
    access: any FileAccess = SystemFileAccess()
  ) throws -> ValueFiles {
    ValueFiles(of: "a.db", in: try folder.folder(access: access), policy: policy)
  }

  private func write(_ bytes: [UInt8], to files: ValueFiles) throws -> FileReference {
    try bytes.withUnsafeBytes { try files.write($0) }
  }

  private var path: String { folder.path + "/a.db.files" }

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
  }

  @Test(arguments: [0, 1, ValueFiles.pieceSize - 1, ValueFiles.pieceSize + 1])
  func `a value is read back from its file`(size: Int) throws {
    let files = try files()
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let reference = try write(bytes, to: files)
    #expect(reference.size == size)
    #expect(try Array(files.data(of: reference)) == bytes)
    #expect(names == [reference.name])
    #expect(try Array(Data(contentsOf: URL(filePath: "\(path)/\(reference.name)"))) == bytes)
  }

  @Test func `only the owner can access the folder and its files`() throws {
    let reference = try write([1], to: files())
    let modes = try [path, "\(path)/\(reference.name)"].map {
      try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
    }
    #expect(modes == [0o700, 0o600])
  }

  @Test func `no file is created before the first value`() throws {
    let files = try files()
    #expect(try files.names() == [])
    try files.beginReading(patience: 0)
    files.endReading()
    #expect(try folder.names == [])
  }

  @Test func `unsynced files are synced before a durable store uses them`() throws {
    let careless = try files(.system)
    let references = try [write([1], to: careless), write([2], to: careless)]
    #expect(names == (references.map(\.name) + ["unsynced"]).sorted())
    #expect(try careless.names().count == 2)
    try careless.syncExisting()
    #expect(names.contains("unsynced"))
    let access = FaultyFileAccess()
    let careful = try files(access: access)
    try careful.syncExisting()
    // Both files, their folder, and the parent folder.
    #expect(access.calls.filter { $0 == .sync }.count == 4)
    #expect(names == references.map(\.name).sorted())
    access.reset()
    try careful.syncExisting()
    #expect(access.calls == [.status])
    _ = try write([3], to: careless)
    try careful.syncExisting()
    #expect(access.calls.filter { $0 == .sync }.count == 5)
  }

  @Test func `a failed sync keeps the marker file`() throws {
    _ = try write([1], to: files(.system))
    let access = FaultyFileAccess()
    let careful = try files(access: access)
    try careful.checkFolder()
    access.reset(.from(call: 4, code: EIO))
    #expect(throws: FileError.self) { try careful.syncExisting() }
    #expect(names.contains("unsynced"))
  }

  @Test(arguments: [(SyncPolicy.disk, 3), (.system, 0)])
  func `a value is synced according to the policy`(policy: SyncPolicy, syncs: Int) throws {
    let access = FaultyFileAccess()
    let files = try files(policy, access: access)
    _ = try write([1], to: files)
    try files.syncNames()
    // The parent folder, the file, and the file's folder.
    #expect(access.calls.filter { $0 == .sync }.count == syncs)
    access.reset()
    _ = try write([2], to: files)
    try files.syncNames()
    #expect(access.calls.filter { $0 == .sync }.count == max(syncs - 1, 0))
  }

  @Test func `a changed, missing or replaced file is reported`() throws {
    let files = try files()
    let reference = try write([1, 2, 3], to: files)
    let url = URL(filePath: "\(path)/\(reference.name)")
    for wrong: [UInt8] in [[1, 2], [1, 2, 3, 4], [3, 2, 1], []] {
      try Data(wrong).write(to: url)
      #expect(throws: ValueFileError.self) { try files.data(of: reference) }
    }
    try FileManager.default.removeItem(at: url)
    #expect(throws: ValueFileError.missing(path: url.path)) { try files.data(of: reference) }
    let other = folder.path + "/other"
    try Data([1, 2, 3]).write(to: URL(filePath: other))
    try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: other)
    #expect(throws: ValueFileError.untrusted(path: url.path)) { try files.data(of: reference) }
    try FileManager.default.removeItem(at: url)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    #expect(throws: ValueFileError.untrusted(path: url.path)) { try files.data(of: reference) }
  }

  @Test func `a file larger than memory throws an error`() throws {
    let files = try files()
    let reference = try write([1], to: files)
    let handle = try FileHandle(forWritingTo: URL(filePath: "\(path)/\(reference.name)"))
    // A sparse file occupies no space.
    try handle.truncate(atOffset: 1 << 43)
    try handle.close()
    let huge = try #require(FileReference(name: reference.name, size: 1 << 43, checksum: 0))
    #expect(throws: ValueFileError.self) { try files.data(of: huge) }
  }

  @Test func `the checksum of a sparse file is verified before memory is allocated`() throws {
    let access = FaultyFileAccess()
    let files = try files(access: access)
    let size = 3 * ValueFiles.pieceSize
    let reference = try write([UInt8](repeating: 0, count: size), to: files)
    access.reset()
    #expect(try files.data(of: reference).count == size)
    #expect(access.calls.count { $0 == .read } == 3)
    let handle = try FileHandle(forWritingTo: URL(filePath: "\(path)/\(reference.name)"))
    try handle.truncate(atOffset: 0)
    try handle.truncate(atOffset: UInt64(size))
    try handle.close()
    access.reset()
    #expect(try files.data(of: reference).allSatisfy { $0 == 0 })
    #expect(access.calls.count { $0 == .read } == 6)
    let other = try #require(FileReference(name: reference.name, size: size, checksum: 1))
    access.reset()
    #expect(throws: ValueFileError.self) { try files.data(of: other) }
    #expect(access.calls.count { $0 == .read } == 3)
  }

  @Test func `a value above the limit is neither written nor read`() throws {
    let files = try files()
    let reference = try write([1, 2, 3, 4], to: files)
    let small = ValueFiles(of: "a.db", in: try folder.folder(), policy: .disk, maximumSize: 3)
    let refusals: [() throws -> Void] = [
      { _ = try small.data(of: reference) }, { try small.check(reference) },
      { _ = try small.openWhole(reference) },
    ]
    for refusal in refusals {
      #expect {
        try refusal()
      } throws: { error in
        let translated = (error as? ValueFileError)?.translated(entity: "Trip", property: "photo")
        return translated == .invalidConfiguration
          && translated?.message.contains("4 bytes; maximumExternalValueSize allows 3") == true
      }
    }
    let batch = ValueFileBatch(small, threshold: 0)
    let error = #expect(throws: DataStoreError.invalidValue) {
      try [UInt8](repeating: 1, count: 4).withUnsafeBytes {
        try batch.write($0, entity: "Trip", property: "photo")
      }
    }
    #expect(error?.property == "photo")
    #expect(names == [reference.name])
    #expect(try small.ownNames() == [reference.name])
  }

  @Test func `a folder that is a symbolic link is refused`() throws {
    let other = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other.path)
    let files = try files()
    #expect(throws: FileError.self) { try files.checkFolder() }
    #expect(throws: FileError.self) { try write([1], to: files) }
    #expect(try other.names == [])
  }

  @Test func `removed files are kept while any reader exists`() throws {
    let (writer, reader) = (try files(), try files())
    let first = try write([1], to: writer)
    let second = try write([2], to: writer)
    for other in [writer, reader] {
      try other.beginReading(patience: 0)
      try other.beginReading(patience: 0)
      writer.remove([first.name])
      other.endReading()
      writer.remove([])
      #expect(names.contains(first.name))
      #expect(try other.data(of: first) == Data([1]))
      other.endReading()
      writer.remove([])
      #expect(names == [second.name])
      _ = FileManager.default.createFile(
        atPath: "\(path)/\(first.name)",
        contents: Data([1])
      )
    }
  }

  @Test func `a reader waits for a removal of files, and then throws`() throws {
    let files = try files()
    _ = try write([1], to: files)
    let remover = try Folder("a.db.files", in: folder.folder())
    #expect(try remover.tryLock(exclusively: true))
    #expect(throws: StoreLock.Failure.self) { try files.beginReading(patience: 2) }
    remover.unlock()
    try files.beginReading(patience: 0)
    files.endReading()
  }

  @Test func `files that are not value files are not removed`() throws {
    let files = try files()
    let reference = try write([1], to: files)
    try folder.write("note", to: "a.db.files/README")
    try folder.write("note", to: "a.db.files/\(reference.name)0")
    try folder.write("note", to: "note")
    let link = String(repeating: "0", count: 32)
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(link)",
      withDestinationPath: folder.path + "/note"
    )
    #expect(try files.names() == [link, reference.name].sorted())
    files.remove([link, reference.name, "README", "../note"])
    #expect(names == [link, reference.name + "0", "README"].sorted())
    #expect(folder.text(of: "note") == "note")
  }

  @Test func `files of other programs with such names are not removed`() throws {
    let files = try files()
    let reference = try write([1], to: files)
    let (foreign, other) = (
      String(repeating: "0", count: 32), ValueFileNaming(store: "other").newName()
    )
    for name in [foreign, other] { try folder.write("precious", to: "a.db.files/\(name)") }
    #expect(try files.ownNames() == [reference.name])
    files.remove([foreign, other])
    files.remove([foreign, other], isDurable: false)
    files.noteDurable()
    // A reference with another size or checksum does not prove that the store wrote the file.
    for (size, checksum) in [(1, UInt32(0)), (8, 0)] {
      let named = try #require(FileReference(name: foreign, size: size, checksum: checksum))
      files.remove([String](), [named])
    }
    let batch = ValueFileBatch(files, threshold: 0)
    try batch.releaseAll { [] }
    batch.commit(isDurable: true)
    #expect(names == [foreign, other].sorted())
  }

  @Test func `a file with a version 1 name is removed if a row's checksum matches`() throws {
    let files = try files()
    let reference = try write([1, 2, 3], to: files)
    let name = String(repeating: "0", count: 32)
    let old = try #require(FileReference(name: name, size: 3, checksum: reference.checksum))
    try FileManager.default.moveItem(atPath: "\(path)/\(reference.name)", toPath: "\(path)/\(name)")
    files.remove([name])
    #expect(names == [name])
    let batch = ValueFileBatch(files, threshold: 0)
    try batch.releaseAll { [old] }
    batch.commit(isDurable: true)
    #expect(names == [])
  }

  @Test(arguments: [SyncPolicy.disk, .system])
  func `no value is written after the folder was moved`(policy: SyncPolicy) throws {
    let files = try files(policy)
    let first = try write([1], to: files)
    let moved = folder.path + "/moved"
    let refusal = { (error: any Error) in (error as? FileError)?.isReplaced == true }
    try FileManager.default.moveItem(atPath: path, toPath: moved)
    #expect(performing: { try write([2], to: files) }, throws: refusal)
    #expect(performing: { try files.syncNames() }, throws: refusal)
    // A new folder at the path is not the store's either.
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(performing: { try write([2], to: files) }, throws: refusal)
    let kept = try FileManager.default.contentsOfDirectory(atPath: moved)
    #expect(kept.filter(FileReference.isName) == [first.name])
    #expect(names == [])
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: moved, toPath: path)
    let second = try write([2], to: files)
    #expect(names.filter(FileReference.isName) == [first.name, second.name].sorted())
  }

  @Test func `a reference is returned only for a complete file despite failed calls`() throws {
    let access = FaultyFileAccess()
    _ = try write([1, 2, 3], to: files(access: access))
    for call in 0..<access.calls.count {
      for fault: FaultyFileAccess.Fault in [
        .once(call: call, code: EIO), .late(call: call, code: EIO),
        .torn(call: call, code: ENOSPC), .from(call: call, code: ENOSPC),
      ] {
        let faulty = FaultyFileAccess()
        let files = try files(access: faulty)
        faulty.reset(fault)
        guard let reference = try? write([1, 2, 3], to: files) else { continue }
        #expect(try self.files().data(of: reference) == Data([1, 2, 3]), "\(fault)")
      }
    }
  }
}
