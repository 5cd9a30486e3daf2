import Foundation
import StoreTestSupport
import Testing

@testable import StoreFiles

@Suite struct FolderReplacingTests {
  let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  @Test func `the file has the new content and no temporary file remains`() throws {
    let folder = try temporary.folder()
    try folder.replace("a", with: "one")
    try folder.replace("a", with: "two")
    #expect(temporary.text(of: "a") == "two")
    #expect(try temporary.names == ["a"])
    #expect(try folder.status(of: "a")?.mode == 0o600)
  }

  @Test func `permissions that the owner set are kept`() throws {
    let folder = try temporary.folder()
    try folder.replace("a", with: "one")
    try folder.open("a", for: .updating).setMode(to: 0o640)
    try folder.replace("a", with: "two")
    #expect(try folder.status(of: "a")?.mode == 0o640)
  }

  @Test func `the content is synced before the rename, and the folder after it`() throws {
    let access = FaultyFileAccess()
    let folder = try temporary.folder(access: access)
    access.reset()
    try folder.replace("a", with: "one")
    #expect(access.calls == [.create, .status, .status, .write, .status, .sync, .rename, .sync])
    access.reset()
    try folder.replace("b", with: "one", policy: .system)
    #expect(access.calls == [.create, .status, .status, .write, .status, .rename])
  }

  @Test(arguments: 0..<8)
  func `after a failed call, the file has the content that the error implies`(call: Int) throws {
    try temporary.folder().replace("a", with: "old")
    let access = FaultyFileAccess()
    let folder = try temporary.folder(access: access)
    access.reset(.once(call: call, code: EIO))
    do {
      try folder.replace("a", with: "new")
      Issue.record("call \(call) did not fail")
    } catch ReplacementError.unchanged(let error) {
      #expect(error.code == EIO)
      #expect(temporary.text(of: "a") == "old")
      #expect(call < 6)
    } catch ReplacementError.unknown {
      #expect(call >= 6)
    }
    #expect(try temporary.names == ["a"])
  }

  @Test(arguments: 0..<8)
  func `a call that fails late or tears a write never leaves a torn file`(call: Int) throws {
    for fault in [
      FaultyFileAccess.Fault.late(call: call, code: EIO), .torn(call: call, code: ENOSPC),
      .from(call: call, code: EIO),
    ] {
      try temporary.folder().replace("a", with: "old")
      let access = FaultyFileAccess()
      let folder = try temporary.folder(access: access)
      access.reset(fault)
      do {
        try folder.replace("a", with: "new")
      } catch ReplacementError.unchanged {
        #expect(temporary.text(of: "a") == "old")
      } catch ReplacementError.unknown {
        #expect(["old", "new"].contains(temporary.text(of: "a")))
      }
    }
  }

  @Test func `only the temporary files of an ended process are deleted`() throws {
    let folder = try temporary.folder()
    let names = FileName.temporaries(for: "a")
    let (ours, link) = (names.dropFirst(), names[0])
    let others = ["a", "a.lock", ".a.tmp-1"] + FileName.temporaries(for: "b")
    for name in ours + others { try temporary.write("x", to: name) }
    try FileManager.default.createSymbolicLink(
      atPath: temporary.path + "/" + link,
      withDestinationPath: temporary.path + "/a"
    )
    try folder.sweepTemporaryFiles(of: "a")
    #expect(try Set(temporary.names) == Set(others + [link]))
  }

  @Test func `a file is replaced while others have all its temporary names`() throws {
    let folder = try temporary.folder()
    let taken = FileName.temporaries(for: "a")
    for name in taken { try temporary.write("x", to: name) }
    try folder.replace("a", with: "new")
    #expect(temporary.text(of: "a") == "new")
    #expect(try Set(temporary.names) == Set(taken + ["a"]))
  }
}
