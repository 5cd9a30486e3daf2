import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// A store that a test opens with one schema after another.
struct StructureFixture {
  let kind: EveryStore
  let folder: TemporaryFolder

  init(_ kind: EveryStore) throws {
    self.kind = kind
    folder = try TemporaryFolder()
  }

  var url: URL { folder.file("store") }

  func open(_ entities: [StoreEntity]) throws -> any RecordStore {
    let schema = Schema(storeSchema: StoreSchema(entities: entities))
    return kind == .json
      ? try JSONFileStore(
        JSONFileStoreConfiguration(schema: schema, url: url),
        migrationPlan: nil
      ) : try SQLiteStore(SQLiteStoreConfiguration(schema: schema, url: url), migrationPlan: nil)
  }

  func begin() throws -> (any StoreMigration)? {
    kind == .json
      ? try JSONFileStore.beginMigration(of: JSONFileStoreConfiguration(url: url))
      : try SQLiteStore.beginMigration(of: SQLiteStoreConfiguration(url: url))
  }

  /// Stores rows under one schema, opens them with another, and looks at what is there.
  @discardableResult
  func change(
    _ old: [StoreEntity],
    _ rows: (any RecordStore) throws -> Void,
    to new: [StoreEntity]
  ) throws -> any RecordStore {
    do { try rows(try open(old)) }
    _ = try open(new)
    let store = try open(new)
    #expect(try (store as? any MaintainableStore)?.verify() == [])
    return store
  }
}

extension RecordStore {
  /// Inserts records, and returns their identifiers in that order.
  @discardableResult
  func insert(_ records: [DefaultSnapshot]) throws -> [PersistentIdentifier] {
    let result = try apply(StoreChanges(inserted: records))
    return records.compactMap { result.remapped[$0.persistentIdentifier] }
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
