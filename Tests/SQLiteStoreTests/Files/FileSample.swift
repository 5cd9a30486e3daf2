import Foundation
import StoreFiles
import StoreProtocol

@testable import SQLiteStore

/// Stores whose rows name files, and what is in their folders.
enum FileSample {
  static let threshold = 100

  static let album = StoreEntity(
    name: "Album",
    properties: [
      SampleSchema.attribute("title", .string), external("cover", .data),
      StoreProperty(
        name: "pictures",
        kind: .toMany(
          StoreRelationship(destination: "Picture", inverse: "album", inverseIsToOne: true)
        )
      ),
    ]
  )

  static let picture = StoreEntity(
    name: "Picture",
    properties: pictureProperties,
    uniquenessConstraints: [["name"]]
  )

  static let schema = StoreSchema(entities: [album, picture])

  private static let pictureProperties = [
    SampleSchema.attribute("name", .string), external("photo", .data),
    external("notes", .string), external("extra", .codable),
    SampleSchema.attribute("small", .data),
    StoreProperty(
      name: "album",
      kind: .toOne(StoreRelationship(destination: "Album", inverse: "pictures")),
      isOptional: true
    ),
  ]

  static func external(_ name: String, _ type: AttributeType) -> StoreProperty {
    StoreProperty(
      name: name,
      kind: .attribute(type),
      isOptional: true,
      options: ["externalStorage"]
    )
  }

  /// A picture's schema with other options of its photo and notes, and other indexes.
  static func schema(
    options: [String],
    indices: [[String]] = [],
    unique: [[String]] = [["name"]]
  ) -> StoreSchema {
    let properties = pictureProperties.map { property in
      guard property.isExternal else { return property }
      return StoreProperty(
        name: property.name,
        kind: property.kind,
        isOptional: true,
        options: options
      )
    }
    let entity = StoreEntity(
      name: "Picture",
      properties: properties,
      uniquenessConstraints: unique,
      indices: indices
    )
    return StoreSchema(entities: [album, entity])
  }

  static func picture(_ name: String, _ values: [String: StoreValue] = [:]) -> DefaultSnapshot {
    .new(picture, values.merging(["name": .string(name)]) { first, _ in first })
  }

  /// Bytes that all are one number.
  static func data(_ count: Int, _ byte: UInt8 = 7) -> StoreValue {
    .data(Data(repeating: byte, count: count))
  }
}

extension SQLiteStore {
  /// A store whose large values lie in files.
  static func withFiles(
    _ path: String,
    _ schema: StoreSchema = FileSample.schema,
    threshold: Int = FileSample.threshold,
    allowsSave: Bool = true,
    durability: StoreCapabilities.Durability = .full,
    access: any FileAccess = SystemFileAccess(),
    log: StatementLog? = nil
  ) throws -> SQLiteStore {
    var configuration = SQLiteStoreConfiguration(
      schema: Schema(storeSchema: schema),
      url: URL(filePath: path),
      allowsSave: allowsSave,
      durability: durability
    )
    configuration.busyTimeout = 30
    configuration.externalStorageThreshold = threshold
    configuration.access = access
    configuration.log = log
    return try SQLiteStore(configuration, migrationPlan: nil)
  }

  func update(_ identifier: PersistentIdentifier, _ values: [String: StoreValue]) throws {
    let entity = identifier.entityName == "Album" ? FileSample.album : FileSample.picture
    _ = try apply(StoreChanges(updated: [.change(identifier, entity, values)]))
  }

  func pictures() throws -> [DefaultSnapshot] {
    try fetch(StoreQuery(entity: "Picture"))
  }
}

extension TemporaryFolder {
  /// The names of the value files of `a.db`.
  var valueFiles: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: path("a.db.files"))
    return names?.filter { $0 != ValueFiles.unsyncedMark }.sorted() ?? []
  }

  func valueFile(_ name: String) -> URL {
    url.appending(path: "a.db.files").appending(path: name)
  }

  /// Runs a statement as another program would.
  func run(_ sql: String) throws {
    try Connection(ConnectionOptions(location: .file(path("a.db")))).execute(sql)
  }

  func text(_ sql: String) throws -> String? {
    try Connection(ConnectionOptions(location: .file(path("a.db")))).text(sql)
  }

  /// The same store as it is on the disk now, elsewhere.
  func copy() throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      try FileManager.default.copyItem(atPath: path(name), toPath: copy.path(name))
    }
    return copy
  }
}
