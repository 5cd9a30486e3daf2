import Foundation
import StoreTestSupport
import Testing

@testable import StoreFiles

@Suite("A system call that fails")
struct RejectedCallTests {
  private let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  @Test func `on an invalid descriptor throws the system's error number`() throws {
    let access = SystemFileAccess()
    var bytes: [UInt8] = [1]
    let calls: [() throws -> Void] = [
      { _ = try bytes.withUnsafeMutableBytes { try access.read(-1, into: $0, at: 0) } },
      { _ = try [1].withUnsafeBytes { try access.write(-1, from: $0, at: 0) } },
      { _ = try access.lock(-1, exclusively: true) }, { _ = try access.names(in: -1) },
      { try access.sync(-1) }, { try access.truncate(-1, to: 0) },
    ]
    for call in calls {
      #expect(throws: SystemError(code: EBADF)) { try call() }
    }
  }

  @Test func `that writes no bytes throws an error instead of looping`() throws {
    try temporary.write("kept", to: "a")
    let folder = try temporary.folder(access: OddFileAccess(.writesNothing))
    let file = try folder.open("a", for: .updating)
    let error = try #require(throws: FileError.self) { try file.write([1], at: 0) }
    #expect(error.operation == .write)
    #expect(error.code == FileError.unexpectedEnd)
    #expect(error.path == temporary.path + "/a")
    #expect(error.description.contains("the file ends early"))
    #expect(temporary.text(of: "a") == "kept")
  }

  @Test func `to create a folder leaves no folder, and can be repeated`() throws {
    let path = temporary.path + "/x"
    let access = FaultyFileAccess()
    _ = try Folder(path: temporary.path + "/y", create: true, access: access)
    let call = try #require(access.calls.firstIndex(of: .makeFolder))
    access.reset(.once(call: call, code: ENOSPC))
    let error = try #require(throws: FileError.self) {
      try Folder(path: path, create: true, access: access)
    }
    #expect(error.operation == .makeFolder)
    #expect(error.code == ENOSPC && error.path == path)
    #expect(try temporary.names == ["y"])
    _ = try Folder(path: path, create: true, access: access)
    #expect(try temporary.names == ["x", "y"])
  }

  @Test func `to create a folder is accepted if the folder exists`() throws {
    let access = FaultyFileAccess()
    _ = try Folder(path: temporary.path + "/y", create: true, access: access)
    let call = try #require(access.calls.firstIndex(of: .makeFolder))
    access.reset(.late(call: call, code: EEXIST))
    _ = try Folder(path: temporary.path + "/x", create: true, access: access)
    #expect(try temporary.names == ["x", "y"])
  }

  @Test func `that creates no folder for values throws an error`() throws {
    let files = ValueFiles(
      of: "a.db",
      in: try temporary.folder(access: OddFileAccess(.makesNoFolder)),
      policy: .disk
    )
    let error = try #require(throws: FileError.self) {
      try [UInt8(1)].withUnsafeBytes { try files.write($0) }
    }
    #expect(error.operation == .openFolder && error.isNotFound)
    #expect(error.path == temporary.path + "/a.db.files")
    #expect(try temporary.names == [])
  }

  @Test func `to read a value reports a missing file or invalid UTF-8`() throws {
    let files = ValueFiles(of: "a.db", in: try temporary.folder(), policy: .disk)
    let name = String(repeating: "a", count: 32)
    let lost = try #require(FileReference(name: name, size: 1, checksum: 0))
    let path = temporary.path + "/a.db.files/"
    #expect(throws: ValueFileError.missing(path: path + name)) { try files.data(of: lost) }
    #expect(try temporary.names == [])

    let reference = try [UInt8(0xFF)].withUnsafeBytes { try files.write($0) }
    #expect(
      throws: ValueFileError.damaged(path: path + reference.name, reason: "it is not UTF-8")
    ) {
      try files.text(of: reference)
    }
    #expect(try files.data(of: reference) == Data([0xFF]))
  }
}
