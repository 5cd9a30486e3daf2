import Foundation
import SQLiteStore
import StoreProtocol

/// The schema that the store's tests share: a hierarchy, both kinds of relationships, every type.
enum SampleSchema {
  static let values = StoreEntity(
    name: "Values",
    properties: [
      attribute("bool", .bool), attribute("int8", .int8), attribute("int64", .int64),
      attribute("uint64", .uint64), attribute("float", .float), attribute("double", .double),
      attribute("decimal", .decimal), attribute("string", .string), attribute("date", .date),
      attribute("data", .data), attribute("uuid", .uuid), attribute("url", .url),
      attribute("codable", .codable),
    ],
    indices: [["int64"], ["string", "date"]]
  )

  static let trip = StoreEntity(
    name: "Trip",
    properties: tripProperties,
    uniquenessConstraints: [["name", "start"]],
    indices: [["name"], ["start"]]
  )

  static let personalTrip = StoreEntity(
    name: "PersonalTrip",
    superentity: "Trip",
    root: "Trip",
    properties: tripProperties + [attribute("reason", .string), attribute("note", .string)],
    uniquenessConstraints: [["name", "start"]],
    indices: [["name"], ["start"]]
  )

  static let businessTrip = StoreEntity(
    name: "BusinessTrip",
    superentity: "Trip",
    root: "Trip",
    properties: tripProperties + [
      attribute("perDiem", .double), attribute("note", .int64), attribute("code", .string),
    ],
    uniquenessConstraints: [["name", "start"], ["code"]],
    indices: [["name"], ["start"]]
  )

  static let item = StoreEntity(
    name: "Item",
    properties: [
      attribute("title", .string),
      StoreProperty(
        name: "trip",
        kind: .toOne(StoreRelationship(destination: "Trip", inverse: "items")),
        isOptional: true
      ),
    ]
  )

  static let tag = StoreEntity(
    name: "Tag",
    properties: [
      attribute("name", .string),
      StoreProperty(
        name: "trips",
        kind: .toMany(StoreRelationship(destination: "Trip", inverse: "tags"))
      ),
    ],
    uniquenessConstraints: [["name"]]
  )

  static let store = StoreSchema(
    entities: [values, trip, personalTrip, businessTrip, item, tag])

  private static let tripProperties = [
    attribute("name", .string), attribute("start", .date), attribute("days", .int64),
    StoreProperty(
      name: "items",
      kind: .toMany(
        StoreRelationship(destination: "Item", inverse: "trip", inverseIsToOne: true)
      )
    ),
    StoreProperty(
      name: "tags",
      kind: .toMany(StoreRelationship(destination: "Tag", inverse: "trips"))
    ),
    StoreProperty(
      name: "next",
      kind: .toOne(StoreRelationship(destination: "Trip")),
      isOptional: true
    ),
  ]

  static func attribute(
    _ name: String,
    _ type: AttributeType,
    isOptional: Bool = true
  ) -> StoreProperty {
    StoreProperty(name: name, kind: .attribute(type), isOptional: isOptional)
  }
}

extension SQLiteStore {
  /// A store in memory.
  static func inMemory(
    _ schema: StoreSchema = SampleSchema.store,
    log: StatementLog? = nil
  ) throws -> SQLiteStore {
    var configuration = SQLiteStoreConfiguration.inMemory(schema: Schema(storeSchema: schema))
    configuration.log = log
    return try SQLiteStore(configuration, migrationPlan: nil)
  }

  /// A store in a file.
  static func inFile(
    _ path: String,
    _ schema: StoreSchema? = SampleSchema.store,
    allowsSave: Bool = true,
    busyTimeout: Double = 0.5,
    log: StatementLog? = nil
  ) throws -> SQLiteStore {
    var configuration = SQLiteStoreConfiguration(
      schema: schema.map(Schema.init(storeSchema:)),
      url: URL(filePath: path),
      allowsSave: allowsSave
    )
    configuration.busyTimeout = busyTimeout
    configuration.log = log
    return try SQLiteStore(configuration, migrationPlan: nil)
  }

  /// Inserts records and gives their permanent identifiers.
  @discardableResult
  func insert(_ records: [DefaultSnapshot]) throws -> [PersistentIdentifier] {
    let result = try apply(StoreChanges(inserted: records))
    return records.compactMap { result.remapped[$0.persistentIdentifier] }
  }

  /// The record of an identifier, nil where there is none.
  func record(_ identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    try fetch(.rows([identifier], of: identifier.entityName)).first
  }
}

extension DefaultSnapshot {
  /// A new record with some values by name.
  static func new(
    _ entity: StoreEntity,
    _ values: [String: StoreValue] = [:]
  ) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(
        scope: .init(storeIdentifier: nil, entityName: entity.name),
        key: .temporary(PersistentIdentifier.nextTemporaryNumber())
      ),
      entity: entity,
      values: entity.properties.map { values[$0.name] ?? .null }
    )
  }
}

extension StoreUpdate {
  /// An update of some values by name.
  static func change(
    _ identifier: PersistentIdentifier,
    _ entity: StoreEntity,
    _ values: [String: StoreValue]
  ) -> StoreUpdate {
    StoreUpdate(
      identifier: identifier,
      changes: values.compactMap { name, value in
        entity.indexByName[name].map { StoreUpdate.Change($0, value) }
      }
      .sorted { $0.index < $1.index }
    )
  }
}

extension RowRun {
  /// New rows whose values a producer writes.
  static func new(_ count: Int, of entity: StoreEntity, from producer: any RowProducer) -> RowRun {
    RowRun(
      RowIdentifiers(
        (0..<count).map { _ in PersistentIdentifier.nextTemporaryNumber() },
        areTemporary: true,
        in: .init(storeIdentifier: nil, entityName: entity.name)
      ),
      of: entity,
      in: nil,
      from: producer
    )
  }
}
