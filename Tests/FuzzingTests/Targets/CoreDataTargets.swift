import CoreDataFiles
import CoreDataStore
import CoreDataTestSupport
import Foundation
import StoreProtocol

/// What stores of Core Data hold.
enum CoreDataTargets {
  static let compressedSeeds: [[UInt8]] = [
    deflated([UInt8]("stored".utf8)),
    // Fixed codes, with a copy that overlaps itself.
    [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x27, 0xB9, 0x00],
  ]

  static let archiveSeeds: [[UInt8]] = {
    var writer = ArchiveWriter()
    let date = writer.add(className: "NSDate", [("NS.time", .value(.real(1.5)))])
    let name = writer.add(.string("Größe"))
    let list = writer.add(array: [date, name])
    let root = writer.add(dictionary: [(name, list)])
    return [writer.bytes(root: root)]
  }()

  static let modelSeeds: [[UInt8]] = [
    ModelWriter.archive(SampleModel.everything),
    ModelWriter.archive(
      SampleModel.everything,
      style: ModelWriter.Style(hasKnownKeys: false, hasProxies: true)
    ),
    [UInt8](
      """
      <model userDefinedModelVersionIdentifier="1"><entity name="A"><attribute name="b" attributeType="Date"/>
      <relationship name="c" toMany="YES" destinationEntity="A" inverseName="c"/></entity></model>
      """.utf8
    ),
  ]

  // What these readers throw is a `FormatError` by its type, so that refusals need no look.

  /// What is decompressed stays within its maximum size.
  static func inflate(_ bytes: [UInt8]) throws {
    guard let result = try? Inflater.inflate(bytes, maximumSize: 1 << 16) else { return }
    try FuzzFailure.unless(result.count <= 1 << 16, "\(result.count) bytes")
  }

  /// Archives and plain lists are decoded or refused.
  static func archive(_ bytes: [UInt8]) throws {
    _ = try? TransformableContent(bytes)
    _ = try? StoreMetadata(bytes)
  }

  /// A model that is read has the same entities after it was written and read again.
  static func model(_ bytes: [UInt8]) throws {
    _ = try? ManagedModel(source: bytes)
    guard let model = try? ManagedModel(archive: bytes) else { return }
    let again = try ManagedModel(archive: ModelWriter.archive(model))
    try FuzzFailure.unless(again.entities.map(\.name) == model.entities.map(\.name), "\(model)")
  }

  /// A file with a model and without rows.
  static func fileSeed() throws -> [UInt8] {
    let file = URL(filePath: #filePath)
      .appending(path: "../../../CoreDataStoreTests/Files/ddg-Bookmarks_V1.sqlite").standardized
    return [UInt8](try Data(contentsOf: file))
  }

  /// All of a file is read, or refused with an error of the store.
  static func file(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: FuzzFiles.database)
    var configuration = CoreDataStoreConfiguration(url: FuzzFiles.database)
    configuration.unreadableValues = .omit
    do {
      _ = try CoreDataStore(configuration).survey()
    } catch is DataStoreError {
      return
    }
  }
}
