import Foundation
import Testing

@testable import StoreFiles

@Suite struct MigrationPlaceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func make(_ path: String, _ file: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/\(path)",
      withIntermediateDirectories: true
    )
    try folder.write("precious", to: "\(path)/\(file)")
  }

  @Test func `a place goes with all that is in it`() throws {
    let parent = try folder.folder()
    let place = try MigrationLocation(of: "a.db", in: parent)
    let name = try #require(try folder.names.first)
    #expect(place.path == "\(folder.path)/\(name)/a.db")
    try make("\(name)/a.db.files", "value")
    try folder.write("copy", to: "\(name)/a.db")
    place.remove()
    #expect(try folder.names == [])
  }

  @Test func `what a killed migration left is swept, by the next opening or migration`() throws {
    let parent = try folder.folder()
    for isOpening in [true, false] {
      _ = try MigrationLocation(of: "a.db", in: parent)
      try folder.write("copy", to: "\(try folder.names[0])/a.db")
      if isOpening {
        MigrationLocation.sweep("a.db", in: parent)
        #expect(try folder.names == [])
      } else {
        let place = try MigrationLocation(of: "a.db", in: parent)
        #expect(try folder.names.count == 1)
        place.remove()
      }
    }
  }

  @Test(arguments: [
    "a.db.migrating", ".a.db.migrating", ".a.db.migrating-0123", ".b.db.migrating-0123456789abcdef",
    ".a.db.migrating-0123456789ABCDEF", ".a.db.tmp-0123456789abcdef",
  ])
  func `a folder of another name stays with all that is in it`(name: String) throws {
    try make(name, "a.db")
    let parent = try folder.folder()
    MigrationLocation.sweep("a.db", in: parent)
    try parent.sweepTemporaryFiles(of: "a.db")
    let place = try MigrationLocation(of: "a.db", in: parent)
    place.remove()
    #expect(folder.text(of: "\(name)/a.db") == "precious")
  }

  @Test func `the copy of a copy stays until that goes`() throws {
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
