import Foundation
import StoreFiles
import JSONFileStore
import StoreProtocol

/// Documents whose large data lies in files.
enum DataFileSample {
  static let threshold = 100

  static let picture = entity()

  /// The entity of pictures with other options and indexes.
  static func entity(
    options: [String] = ["externalStorage"],
    indices: [[String]] = []
  ) -> StoreEntity {
    StoreEntity(
      name: "Picture",
      properties: [
        StoreProperty(name: "name", kind: .attribute(.string)),
        StoreProperty(
          name: "photo",
          kind: .attribute(.data),
          isOptional: true,
          options: options
        ),
        StoreProperty(name: "small", kind: .attribute(.data), isOptional: true),
      ],
      uniquenessConstraints: [["name"]],
      indices: indices
    )
  }

  static func record(_ name: String, _ photo: StoreValue = .null) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: "Picture"),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      entity: picture,
      values: [.string(name), photo, .null]
    )
  }

  /// Bytes that all are one number.
  static func data(_ count: Int, _ byte: UInt8 = 7) -> StoreValue {
    .data(Data(repeating: byte, count: count))
  }
}

extension StoreFixture {
  func openFiles(
    _ entity: StoreEntity = DataFileSample.picture,
    threshold: Int = DataFileSample.threshold,
    durability: StoreCapabilities.Durability = .full,
    allowsSave: Bool = true,
    access: any FileAccess = SystemFileAccess()
  ) throws -> JSONFileStore {
    var configuration = configuration(
      schema: Schema(storeSchema: StoreSchema(entities: [entity])),
      durability: durability,
      allowsSave: allowsSave,
      access: access
    )
    configuration.externalStorageThreshold = threshold
    return try JSONFileStore(configuration, migrationPlan: nil)
  }

  var dataFolder: URL { folder.appending(path: "items.json.files") }

  /// The names of the files with data.
  var dataFiles: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: dataFolder.path)
    return names?.filter { $0 != ValueFiles.unsyncedMark }.sorted() ?? []
  }

  /// Copies the store with its files elsewhere, as a kill would leave them.
  func copyWithFiles() throws -> StoreFixture {
    let copy = try copy()
    if FileManager.default.fileExists(atPath: dataFolder.path) {
      try FileManager.default.copyItem(at: dataFolder, to: copy.dataFolder)
    }
    return copy
  }
}

extension JSONFileStore {
  func pictures() throws -> [DefaultSnapshot] { try all("Picture") }

  func photos() throws -> [StoreValue?] { try pictures().map { $0["photo"] } }

  func setPhoto(_ identifier: PersistentIdentifier, _ value: StoreValue) throws {
    _ = try apply(
      StoreChanges(
        updated: [StoreUpdate(identifier: identifier, changes: [.init(1, value)])]
      )
    )
  }
}
