import Foundation
import Testing

@testable import StoreFiles

@Suite struct FileNameTests {
  @Test(arguments: [
    "", ".", "..", "a/b", "/", "a\0b", String(repeating: "x", count: 201), "a.journal", "a.files",
    "a.lock", "a-wal", "a-shm", "a-journal", "A.JOURNAL", ".a.tmp-0000000000000001",
    ".a.json.migrating-0123456789abcdef",
  ])
  func `an invalid name is rejected`(name: String) {
    #expect(FileName.objection(to: name) != nil)
  }

  @Test(arguments: [
    "a", "trips.json", "mit Leerzeichen", "日本.json", "a..b", "-rf", ".hidden", ".a.tmp-0",
  ])
  func `an ordinary name is accepted`(name: String) {
    #expect(FileName.objection(to: name) == nil)
  }

  @Test(arguments: [
    ("/a/b.json", "/a", "b.json"), ("b.json", ".", "b.json"), ("/b", "/", "b"), ("a/", "a", ""),
  ])
  func `a path is split at its last slash`(path: String, folder: String, name: String) {
    let parts = FileName.split(path)
    #expect(parts.folder == folder)
    #expect(parts.name == name)
  }

  @Test func `a temporary name is recognized only for its own store`() {
    for name in FileName.temporaries(for: "trips.json") + [FileName.temporary(for: "trips.json")] {
      #expect(FileName.isTemporary(name, for: "trips.json"))
      #expect(!FileName.isTemporary(name, for: "other.json"))
      #expect(!FileName.isTemporary(name + "0", for: "trips.json"))
    }
    #expect(!FileName.isTemporary("trips.json", for: "trips.json"))
  }

  @Test func `links to a file are followed, but not without end, and not to nothing`() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "file")
    for (name, target) in [("a", "file"), ("b", "\(folder.path)/a"), ("c", "c"), ("d", "none")] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/\(name)",
        withDestinationPath: target
      )
    }
    for name in ["a", "b"] {
      #expect(FileName.withoutLink("\(folder.path)/\(name)").hasSuffix("/file"))
    }
    for name in ["c", "d", "file", "none"] {
      let path = "\(folder.path)/\(name)"
      #expect(FileName.withoutLink(path) == path)
    }
  }

  // Only the administrator can give a link to another user.
  @Test(.enabled(if: geteuid() == 0))
  func `a link to a link of another user is not followed`() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "file")
    let (own, other) = ("\(folder.path)/own", "\(folder.path)/other")
    try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: "file")
    try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: other)
    #expect(FileName.withoutLink(own).hasSuffix("/file"))
    #expect(lchown(other, 65_534, 65_534) == 0)
    #expect(FileName.withoutLink(own) == own)
    #expect(FileName.withoutLink(other) == other)
  }
}
