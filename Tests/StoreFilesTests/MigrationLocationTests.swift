import Foundation
import Testing

@testable import StoreFiles

@Suite struct MigrationLocationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func make(_ path: String, _ file: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/\(path)",
      withIntermediateDirectories: true
    )
    try folder.write("precious", to: "\(path)/\(file)")
  }

  @Test func `removing a location removes all its files`() throws {
    let parent = try folder.folder()
    let location = try MigrationLocation(of: "a.db", in: parent)
    let name = try #require(try folder.names.first)
    #expect(location.path == "\(folder.path)/\(name)/a.db")
    try make("\(name)/a.db.files", "value")
    try folder.write("copy", to: "\(name)/a.db")
    location.remove()
    #expect(try folder.names == [])
  }

  @Test func `the files of a killed migration are deleted by the next opening or migration`() throws
  {
    let parent = try folder.folder()
    for isOpening in [true, false] {
      _ = try MigrationLocation(of: "a.db", in: parent)
      try folder.write("copy", to: "\(try folder.names[0])/a.db")
      if isOpening {
        MigrationLocation.sweep("a.db", in: parent)
        #expect(try folder.names == [])
      } else {
        let location = try MigrationLocation(of: "a.db", in: parent)
        #expect(try folder.names.count == 1)
        location.remove()
      }
    }
  }

  @Test(arguments: [
    "a.db.migrating", ".a.db.migrating", ".a.db.migrating-0123", ".b.db.migrating-0000000000000000",
    ".a.db.migrating-0123456789abcdef", ".a.db.tmp-0000000000000000",
  ])
  func `a folder of another name keeps all its files`(name: String) throws {
    try make(name, "a.db")
    let parent = try folder.folder()
    MigrationLocation.sweep("a.db", in: parent)
    try parent.sweepTemporaryFiles(of: "a.db")
    let location = try MigrationLocation(of: "a.db", in: parent)
    location.remove()
    #expect(folder.text(of: "\(name)/a.db") == "precious")
  }

  @Test func `the copy of a copy remains until the outer copy is removed`() throws {
    let outer = try MigrationLocation(of: "a.db", in: folder.folder())
    let inside = try Folder(path: FileName.split(outer.path).folder)
    let inner = try MigrationLocation(of: "a.db", in: inside)
    try Data("copy".utf8).write(to: URL(filePath: inner.path))
    inner.remove()
    MigrationLocation.sweep("a.db", in: inside)
    #expect(FileManager.default.fileExists(atPath: inner.path))
    outer.remove()
    #expect(try folder.names == [])
  }
}
