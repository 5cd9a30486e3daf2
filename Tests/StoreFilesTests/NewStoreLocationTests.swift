import Foundation
import Testing

@testable import StoreFiles

@Suite("The location of a copy")
struct NewStoreLocationTests {
  private let temporary: TemporaryFolder
  private let folder: Folder

  init() throws {
    temporary = try TemporaryFolder()
    folder = try temporary.folder()
  }

  @Test func `has no file under its name until it is published`() throws {
    let location = try NewStoreLocation("b", in: folder)
    try folder.open(location.temporaryName, for: .updating).write([1, 2], at: 0)
    #expect(try folder.names() == [location.temporaryName])
    try location.publish()
    #expect(try folder.names() == ["b"])
    #expect(
      try folder.status(of: "b").map { [$0.size, Int($0.mode), Int($0.links)] } == [2, 0o600, 1]
    )
  }

  @Test(arguments: ["b", "b.files", "b-wal"])
  func `is refused if a file of the name exists`(name: String) throws {
    try folder.makeFolder(name)
    #expect { try NewStoreLocation("b", in: folder, companions: ["-wal"]) } throws: {
      ($0 as? FileError)?.isAlreadyExisting == true
    }
    #expect(try folder.names() == [name])
  }

  @Test func `does not replace a file that was created meanwhile`() throws {
    let location = try NewStoreLocation("b", in: folder)
    try folder.open("b", for: .creating).write([7], at: 0)
    #expect(throws: FileError.self) { try location.publish() }
    location.withdraw()
    #expect(try folder.names() == ["b"])
    #expect(try folder.open("b", for: .reading).bytes(at: 0, count: 1) == [7])
  }

  @Test func `does not publish or remove another copy that has its temporary name by now`() throws {
    let location = try NewStoreLocation("b", in: folder)
    try folder.sweepTemporaryFiles(of: "b")
    let other = try NewStoreLocation("b", in: folder)
    #expect(other.temporaryName == location.temporaryName)
    #expect(throws: FileError.self) { try location.publish() }
    location.withdraw()
    try other.publish()
    #expect(try folder.names() == ["b"])
  }

  @Test func `has no files after it is withdrawn, published or not`() throws {
    let values = ValueFiles(of: "a", in: folder, policy: .system)
    let reference = try Data([1, 2, 3]).withUnsafeBytes { try values.write($0) }
    let before = try folder.names()
    for isPublished in [false, true] {
      let location = try NewStoreLocation("b", in: folder)
      try location.copy([reference, reference], from: values)
      #expect(try ValueFiles(of: "b", in: folder, policy: .system).names() == [reference.name])
      if isPublished { try location.publish() }
      location.withdraw()
      #expect(try folder.names() == before)
    }
  }

  @Test func `refuses a damaged value file`() throws {
    let values = ValueFiles(of: "a", in: folder, policy: .system)
    let reference = try Data([1, 2, 3]).withUnsafeBytes { try values.write($0) }
    let path = URL(filePath: "\(temporary.path)/a.files/\(reference.name)")
    try Data([1, 2, 4]).write(to: path)
    let location = try NewStoreLocation("b", in: folder)
    #expect(throws: ValueFileError.self) { try location.copy([reference], from: values) }
    location.withdraw()
    #expect(try folder.names() == ["a.files"])
  }
}
