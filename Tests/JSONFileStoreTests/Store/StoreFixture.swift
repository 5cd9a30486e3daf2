import Foundation
import StoreFiles
import JSONFileStore
import StoreProtocol

/// A document in a folder of its own, with a schema that has every kind of property.
final class StoreFixture: Sendable {
  let folder: URL
  var url: URL { folder.appending(path: "items.json") }
  var journal: URL { folder.appending(path: "items.json.journal") }

  /// The records of the journal, without the room for others behind them.
  func records() throws -> Data {
    let bytes = try Data(contentsOf: journal)
    let end = bytes.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0
    return bytes.prefix(end)
  }

  /// Whether the folder goes with the fixture.
  private let ownsFolder: Bool

  /// Uses the folder of a fixture of another process.
  init(in folder: URL) {
    self.folder = folder
    ownsFolder = false
  }

  init() throws {
    ownsFolder = true
    folder = FileManager.default.temporaryDirectory
      .appending(path: "JSONFileStoreTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    if ownsFolder { try? FileManager.default.removeItem(at: folder) }
  }

  static let schema = Schema(storeSchema: storeSchema)

  static let storeSchema: StoreSchema = {
    let item = StoreEntity(
      name: "Item",
      properties: itemProperties,
      uniquenessConstraints: [["name"]]
    )
    let special = StoreEntity(
      name: "Special",
      superentity: "Item",
      root: "Item",
      properties: itemProperties + [
        StoreProperty(name: "note", kind: .attribute(.string), isOptional: true)
      ],
      uniquenessConstraints: [["name"]]
    )
    let other = StoreEntity(
      name: "Other",
      properties: [StoreProperty(name: "size", kind: .attribute(.int16))]
    )
    return StoreSchema(entities: [item, special, other])
  }()

  private static let attributes: [(String, AttributeType)] = [
    ("name", .string), ("flag", .bool), ("small", .int8), ("number", .int64), ("big", .uint64),
    ("ratio", .double), ("price", .decimal), ("day", .date), ("blob", .data), ("tag", .uuid),
    ("link", .url), ("extra", .codable),
  ]

  private static let itemProperties: [StoreProperty] =
    attributes.map { StoreProperty(name: $0, kind: .attribute($1), isOptional: true) } + [
      StoreProperty(
        name: "parent",
        kind: .toOne(StoreRelationship(destination: "Item", inverse: "children")),
        isOptional: true
      ),
      StoreProperty(
        name: "children",
        kind: .toMany(
          StoreRelationship(destination: "Item", inverse: "parent", inverseIsToOne: true)
        )
      ),
      StoreProperty(
        name: "friends",
        kind: .toMany(StoreRelationship(destination: "Item", inverse: "friends"))
      ),
    ]

  func configuration(
    schema: Schema? = StoreFixture.schema,
    durability: StoreCapabilities.Durability = .full,
    allowsSave: Bool = true,
    access: (any FileAccess)? = nil
  ) -> JSONFileStoreConfiguration {
    var configuration = JSONFileStoreConfiguration(
      schema: schema,
      url: url,
      allowsSave: allowsSave,
      durability: durability
    )
    configuration.busyTimeout = 0.5
    if let access { configuration.access = access }
    return configuration
  }

  func open(
    schema: Schema? = StoreFixture.schema,
    durability: StoreCapabilities.Durability = .full,
    allowsSave: Bool = true,
    access: (any FileAccess)? = nil
  ) throws -> JSONFileStore {
    try JSONFileStore(
      configuration(
        schema: schema,
        durability: durability,
        allowsSave: allowsSave,
        access: access
      ),
      migrationPlan: nil
    )
  }

  /// The files beside the document, without the lock.
  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { !$0.hasSuffix(".lock") }.sorted()
    }
  }

  func text(_ url: URL) throws -> String {
    String(decoding: try Data(contentsOf: url), as: UTF8.self)
  }

  /// Copies both files of a store elsewhere, as a kill would leave them.
  func copy() throws -> StoreFixture {
    let copy = try StoreFixture()
    for (from, to) in [(url, copy.url), (journal, copy.journal)]
    where FileManager.default.fileExists(atPath: from.path) {
      try FileManager.default.copyItem(at: from, to: to)
    }
    return copy
  }
}

/// A new row for a batch.
func newRow(_ values: [String: StoreValue], entity: String = "Item") -> DefaultSnapshot {
  let description = StoreFixture.storeSchema.entity(named: entity)
  return DefaultSnapshot(
    persistentIdentifier: PersistentIdentifier(
      scope: .init(storeIdentifier: nil, entityName: entity),
      key: .temporary(PersistentIdentifier.nextTemporaryNumber())
    ),
    names: PropertyNames((description?.properties ?? []).map(\.name)),
    values: (description?.properties ?? []).map { values[$0.name] ?? .null }
  )
}

extension JSONFileStore {
  @discardableResult
  func insert(_ rows: DefaultSnapshot...) throws -> [PersistentIdentifier] {
    let result = try apply(StoreChanges(inserted: rows))
    return rows.compactMap { result.remapped[$0.persistentIdentifier] }
  }

  func update(_ identifier: PersistentIdentifier, _ values: [String: StoreValue]) throws {
    let entity = StoreFixture.storeSchema.entity(named: identifier.entityName)
    let changes = values.compactMap { name, value in
      entity?.indexByName[name].map { StoreUpdate.Change($0, value) }
    }
    .sorted { $0.index < $1.index }
    _ = try apply(
      StoreChanges(updated: [StoreUpdate(identifier: identifier, changes: changes)])
    )
  }

  func delete(_ identifiers: PersistentIdentifier...) throws {
    _ = try apply(StoreChanges(deleted: identifiers))
  }

  func all(_ entity: String = "Item") throws -> [DefaultSnapshot] {
    try fetch(StoreQuery(entity: entity))
  }

  func names() throws -> [String] {
    try all().map { $0["name"].map { "\($0)" } ?? "" }
  }

  /// Everything that can be read of the store, as one value to compare.
  func content() throws -> [DefaultSnapshot] {
    try all("Item") + all("Other")
  }
}
