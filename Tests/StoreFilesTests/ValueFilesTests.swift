import Foundation
import Testing

@testable import StoreFiles

@Suite struct ValueFilesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func files(
    _ policy: SyncPolicy = .medium,
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
  func `a value comes back from its file`(size: Int) throws {
    let files = try files()
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let reference = try write(bytes, to: files)
    #expect(reference.size == size)
    #expect(try Array(files.data(of: reference)) == bytes)
    #expect(names == [reference.name])
    #expect(try Array(Data(contentsOf: URL(filePath: "\(path)/\(reference.name)"))) == bytes)
  }

  @Test func `folder and files are their owner's alone`() throws {
    let reference = try write([1], to: files())
    let modes = try [path, "\(path)/\(reference.name)"].map {
      try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
    }
    #expect(modes == [0o700, 0o600])
  }

  @Test func `nothing is made before the first value`() throws {
    let files = try files()
    #expect(try files.names() == [])
    try files.beginReading(patience: 0)
    files.endReading()
    #expect(try folder.names == [])
  }

  @Test(arguments: [(SyncPolicy.medium, 3), (.system, 0)])
  func `a value is synced as the policy asks for it`(policy: SyncPolicy, syncs: Int) throws {
    let access = FaultyFileAccess()
    let files = try files(policy, access: access)
    _ = try write([1], to: files)
    try files.settle()
    // The folder above, the file, and the folder of the file.
    #expect(access.calls.filter { $0 == .sync }.count == syncs)
    access.reset()
    _ = try write([2], to: files)
    try files.settle()
    #expect(access.calls.filter { $0 == .sync }.count == max(syncs - 1, 0))
  }

  @Test func `what is not the file that was written is told`() throws {
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

  @Test func `a size that the file has but memory has not ends nothing`() throws {
    let files = try files()
    let reference = try write([1], to: files)
    let handle = try FileHandle(forWritingTo: URL(filePath: "\(path)/\(reference.name)"))
    // A file with a hole takes no room.
    try handle.truncate(atOffset: 1 << 43)
    try handle.close()
    let huge = try #require(FileReference(name: reference.name, size: 1 << 43, checksum: 0))
    #expect(throws: ValueFileError.self) { try files.data(of: huge) }
  }

  @Test func `a folder that is a link is not entered`() throws {
    let other = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other.path)
    let files = try files()
    #expect(throws: FileError.self) { try files.checkFolder() }
    #expect(throws: FileError.self) { try write([1], to: files) }
    #expect(try other.names == [])
  }

  @Test func `files stay as long as somebody reads, here or elsewhere`() throws {
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

  @Test func `a reader waits for who removes files, and says so in the end`() throws {
    let files = try files()
    _ = try write([1], to: files)
    let remover = try Folder("a.db.files", in: folder.folder())
    #expect(try remover.tryLock(exclusively: true))
    #expect(throws: StoreLock.Failure.self) { try files.beginReading(patience: 2) }
    remover.unlock()
    try files.beginReading(patience: 0)
    files.endReading()
  }

  @Test func `what is no value file is not swept`() throws {
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
    files.sweep([link, reference.name, "README", "../note"])
    #expect(names == [link, reference.name + "0", "README"].sorted())
    #expect(folder.text(of: "note") == "note")
  }

  @Test func `each call that fails leaves nothing that is named`() throws {
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
