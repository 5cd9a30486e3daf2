import Foundation
import StoreTestSupport
import Testing

@testable import StoreFiles

@Suite struct FolderTests {
  let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  @Test func `only the owner can access a new file`() throws {
    let folder = try temporary.folder()
    let file = try folder.open("a", for: .creating)
    #expect(try file.status().mode == 0o600)
  }

  @Test func `the extent of a file agrees with its status`() throws {
    let folder = try temporary.folder()
    let file = try folder.open("a", for: .creating)
    try file.write([1, 2, 3], at: 10)
    let extent = try #require(try folder.extent(of: "a"))
    let status = try #require(try folder.status(of: "a"))
    #expect(extent.modified == nil)
    #expect(try folder.extent(of: "a", withTime: true) == FileExtent(status))
    #expect(try extent.identity == file.status().identity && extent.size == 13)
    try folder.open("b", for: .creating).write([0], at: 0)
    #expect(try folder.extent(of: "b")?.identity != status.identity)
    #expect(try folder.extent(of: "c") == nil)
    // A symbolic link is not followed.
    #expect(symlink("a", temporary.path + "/link") == 0)
    #expect(try folder.extent(of: "link")?.size == 1)
  }

  @Test func `nested folders are created, and only their owner can access them`() throws {
    let folder = try Folder(path: temporary.path + "/x/y/z", create: true)
    #expect(try folder.status().mode == 0o700)
    #expect(try folder.names() == [])
  }

  @Test(arguments: [
    (0o777, false), (0o702, false), (0o1777, true), (0o775, true), (0o755, true), (0o700, true),
  ])
  func `a folder in which any user may replace files is not trusted`(
    mode: UInt32,
    isTrusted: Bool
  ) throws {
    #expect(chmod(temporary.path, mode_t(mode)) == 0)
    let objection = try temporary.folder().objectionToWriting()
    #expect((objection == nil) == isTrusted)
    if let objection {
      #expect(objection == .storeNotTrusted)
      #expect(objection.file == temporary.path)
      #expect(objection.message.contains("chmod o-w"))
    }
  }

  @Test func `opening a missing folder without creating it fails`() throws {
    let path = temporary.path + "/missing"
    #expect {
      try Folder(path: path)
    } throws: {
      ($0 as? FileError)?.isNotFound == true
    }
  }

  @Test func `creating an existing file fails`() throws {
    let folder = try temporary.folder()
    _ = try folder.open("a", for: .creating)
    #expect {
      try folder.open("a", for: .creating)
    } throws: {
      ($0 as? FileError)?.isAlreadyExisting == true
    }
  }

  @Test(arguments: [FileUse.reading, .updating, .opening])
  func `a symbolic link is never followed`(use: FileUse) throws {
    try temporary.write("secret", to: "target")
    try FileManager.default.createSymbolicLink(
      atPath: temporary.path + "/link",
      withDestinationPath: temporary.path + "/target"
    )
    let folder = try temporary.folder()
    #expect {
      try folder.open("link", for: use)
    } throws: {
      ($0 as? FileError)?.objection?.contains("symbolic link") == true
    }
    #expect(try folder.status(of: "link")?.isRegularFile == false)
  }

  @Test func `a folder is not opened as a file`() throws {
    _ = try Folder(path: temporary.path + "/sub", create: true)
    let folder = try temporary.folder()
    for use in [FileUse.reading, .updating] {
      let error = #expect(throws: FileError.self) { try folder.open("sub", for: use) }
      #expect(error?.objection?.contains("folder") == true)
    }
  }

  @Test func `a pipe is refused without waiting for its other end`() throws {
    #expect(mkfifo(temporary.path + "/pipe", 0o600) == 0)
    let folder = try temporary.folder()
    #expect {
      try folder.open("pipe", for: .reading)
    } throws: {
      ($0 as? FileError)?.objection?.contains("not a plain file") == true
    }
  }

  @Test func `a file with two hard links is read but not written`() throws {
    try temporary.write("x", to: "one")
    try FileManager.default.linkItem(
      atPath: temporary.path + "/one",
      toPath: temporary.path + "/two"
    )
    let folder = try temporary.folder()
    #expect(try folder.open("one", for: .reading).bytes(at: 0, count: 1) == [0x78])
    #expect {
      try folder.open("one", for: .updating)
    } throws: {
      ($0 as? FileError)?.objection?.contains("hard links") == true
    }
  }

  @Test func `a missing file is nil if it is optional`() throws {
    let folder = try temporary.folder()
    #expect(try folder.openIfPresent("a", for: .reading) == nil)
    #expect(try folder.status(of: "a") == nil)
    try folder.remove("a")
  }

  @Test func `bytes are read back from where they were written`() throws {
    let file = try temporary.folder().open("a", for: .creating)
    try file.write([1, 2, 3], at: 5)
    #expect(try file.bytes(at: 0, count: 8) == [0, 0, 0, 0, 0, 1, 2, 3])
    try file.truncate(to: 6)
    #expect(try file.status().size == 6)
    #expect {
      try file.bytes(at: 0, count: 8)
    } throws: {
      ($0 as? FileError)?.code == FileError.unexpectedEnd
    }
  }

  @Test func `transfers continue after interruptions and partial calls`() throws {
    let access = FaultyFileAccess(.halting(bytes: 3))
    let file = try temporary.folder(access: access).open("a", for: .creating)
    let bytes = (0..<100).map { UInt8($0) }
    try file.write(bytes, at: 0)
    try file.sync()
    #expect(try file.bytes(at: 0, count: 100) == bytes)
    #expect(access.calls.filter { $0 == .write }.count == 68)
  }

  @Test(arguments: [
    ("/a/b/c", "/a/b"), ("/a", "/"), ("/", "/"), ("a", "."), ("a/b//", "a"), (".", "."),
  ])
  func `the parent of a path is its enclosing folder`(path: String, parent: String) {
    #expect(Folder.parentPath(of: path) == parent)
  }

  @Test func `an error names the call, the path and the reason`() throws {
    let error = FileError(.write, path: "/x/y", code: ENOSPC)
    #expect(error.description == "write /x/y: No space left on device")
  }
}
