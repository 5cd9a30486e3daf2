import Foundation
import OpenSwiftData

// The declarations of SwiftData's public interface by their names and types. This file only has to
// compile. Not in it are those that need SwiftUI, Core Data or a type that Foundation lacks on Linux,
// and seven more, which OpenSwiftData lacks for a reason:
// - `PersistentModel.init(backingData:)` and `createBackingData()`: the values of an object are its
//   own stored properties, so that there is nothing to create it from.
// - `getTransformableValue` and `setTransformableValue`: Foundation has no value transformers on Linux,
//   and a container refuses `.transformable`.
// - `BackingData.metadata`: its type is `Any`, and no document says what is in it.
// - `PersistentModel.Root`: the compiler would take a model's nested type of this name for it, and no
//   document says which type it is for a subclass.
// - `Schema.init(_: Schema.Entity...)`: entities are made from model types here, or by
//   `Schema(storeSchema:)` from plain values, which can be checked.

@Model final class NamedThing {
  #Unique<NamedThing>([\.name], [\.name, \.count])
  #Index<NamedThing>([\.name], [\.count])
  @Attribute(.externalStorage, originalName: "title", hashModifier: "1") var name: String
  @Attribute(.preserveValueOnDeletion) var count = 0
  @Relationship(
    deleteRule: .cascade,
    minimumModelCount: 0,
    maximumModelCount: 9,
    originalName: "pieces",
    inverse: \NamedThing.whole,
    hashModifier: "1"
  ) var parts: [NamedThing] = []
  var whole: NamedThing?
  @Transient var note = ""

  init(name: String) { self.name = name }
}

@ModelActor actor NamedActor {
  func context() -> ModelContext { modelContext }
}

enum NamedVersion: VersionedSchema {
  static var models: [any PersistentModel.Type] { [NamedThing.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

enum NamedPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NamedVersion.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: NamedVersion.self, toVersion: NamedVersion.self),
      .custom(
        fromVersion: NamedVersion.self,
        toVersion: NamedVersion.self,
        willMigrate: { (_: ModelContext) in },
        didMigrate: nil
      ),
    ]
  }
}

private enum PublicInterface {
  typealias Thing = NamedThing

  static func models(_ thing: Thing, _ backing: any BackingData<Thing>) {
    let _: [PartialKeyPath<Thing>] = [
      \.persistentBackingData, \.modelContext, \.persistentModelID, \.id, \.hasChanges, \.isDeleted,
    ]
    let _: [Schema.PropertyMetadata] = Thing.schemaMetadata
    let _: String = thing.getValue(forKey: \.name)
    let _: Thing? = thing.getValue(forKey: \.whole)
    let _: [Thing] = thing.getValue(forKey: \.parts)
    thing.setValue(forKey: \.name, to: "")
    thing.setValue(forKey: \.whole, to: nil)
    thing.setValue(forKey: \.parts, to: [])
    let _: PersistentIdentifier? = backing.persistentModelID
    let _: String = backing.getValue(forKey: \.name)
    backing.setValue(forKey: \.name, to: "")
    let _: [Thing].PersistentElement.Type = Thing.self
  }

  static func identifiers(_ identifier: PersistentIdentifier) throws {
    let _: PersistentIdentifier.ID = identifier.id
    let _: (String, String?) = (identifier.entityName, identifier.storeIdentifier)
    let _: Bool = identifier < identifier
    let _ = try PersistentIdentifier.identifier(for: "", entityName: "", primaryKey: 1)
  }

  static func schemas(_ schema: Schema, _ url: URL) throws {
    let _: [PartialKeyPath<Schema>] = [
      \.encodingVersion, \.version, \.entities, \.entitiesByName, \.debugDescription,
    ]
    let _: Schema.Version = Schema.schemaEncodingVersion
    _ = [
      Schema(), Schema(Thing.self), Schema([Thing.self]),
      Schema(versionedSchema: NamedVersion.self),
    ]
    try schema.save(to: url)
    let _: Schema = try Schema.load(from: url)
    let _: Schema.Entity? = schema.entity(for: Thing.self)
    let _: String = Schema.entityName(for: Thing.self)
    let _: [PartialKeyPath<Schema.Version>] = [\.major, \.minor, \.patch, \.description]
    let _: [PartialKeyPath<any SchemaProperty>] = [
      \.name, \.originalName, \.valueType, \.isAttribute, \.isRelationship, \.isTransient,
      \.isOptional, \.isUnique,
    ]
    let _: [PartialKeyPath<Schema.Entity>] = [
      \.name, \.subentities, \.superentityName, \.superentity, \.storedProperties,
      \.inheritedProperties, \.properties, \.attributes, \.relationships, \.attributesByName,
      \.relationshipsByName, \.storedPropertiesByName, \.inheritedPropertiesByName,
      \.uniquenessConstraints, \.indices,
    ]
    let attribute = Schema.Attribute(
      name: "a",
      originalName: nil,
      options: [],
      valueType: Int.self,
      defaultValue: nil,
      hashModifier: nil
    )
    _ = Schema.Entity("A", subentities: Schema.Entity("B"), properties: attribute)
    _ = Schema.Entity("A", properties: attribute)
  }

  static func properties() {
    let _: [PartialKeyPath<Schema.Attribute>] = [
      \.name, \.originalName, \.options, \.valueType, \.defaultValue, \.isOptional, \.hashModifier,
      \.isAttribute, \.isRelationship, \.isTransient, \.isUnique, \.isTransformable, \.isCodable,
    ]
    _ = Schema.Attribute(.unique, originalName: nil, hashModifier: nil)
    let _: [Schema.Attribute.Option] = [
      .unique, .transformable(by: "A"), .externalStorage, .allowsCloudEncryption,
      .preserveValueOnDeletion, .ephemeral, .spotlight, .codable,
    ]
    let _: KeyPath<Schema.CompositeAttribute, [Schema.Attribute]> = \.properties
    let _: [PartialKeyPath<Schema.Relationship>] = [
      \.name, \.originalName, \.keypath, \.options, \.valueType, \.destination, \.deleteRule,
      \.inverseName, \.inverseKeyPath, \.minimumModelCount, \.maximumModelCount,
      \.isToOneRelationship,
      \.isUnique, \.isAttribute, \.isTransient,
    ]
    _ = Schema.Relationship(.unique, deleteRule: .nullify, inverse: \Thing.whole)
    let _: [Schema.Relationship.DeleteRule] = [.noAction, .nullify, .cascade, .deny]
    _ = Schema.Index<Thing>([\.name]).indices
    _ = Schema.Index<Thing>(.binary([\.name]), .rtree([\.count]))
    _ = Schema.Unique<Thing>([\.name]).constraints
  }

  static func configurations(
    _ configuration: ModelConfiguration,
    _ schema: Schema,
    _ url: URL
  ) throws {
    let _: [PartialKeyPath<ModelConfiguration>] = [
      \.url, \.name, \.groupAppContainerIdentifier, \.cloudKitContainerIdentifier, \.groupContainer,
      \.cloudKitDatabase, \.schema, \.allowsSave, \.isStoredInMemoryOnly, \.id,
    ]
    _ = [
      ModelConfiguration(isStoredInMemoryOnly: false),
      ModelConfiguration(for: Thing.self, isStoredInMemoryOnly: false),
      ModelConfiguration(
        "A",
        schema: schema,
        isStoredInMemoryOnly: false,
        allowsSave: true,
        groupContainer: .automatic,
        cloudKitDatabase: .automatic
      ),
      ModelConfiguration("A", schema: nil, url: url, allowsSave: true, cloudKitDatabase: .none),
    ]
    let _: [ModelConfiguration.CloudKitDatabase] = [.automatic, .none, .private("A")]
    let _: [ModelConfiguration.GroupContainer] = [.automatic, .none, .identifier("A")]
    try configuration.validate()
  }

  @MainActor static func containers(_ container: ModelContainer, _ schema: Schema) throws {
    let _: [PartialKeyPath<ModelContainer>] = [\.schema, \.migrationPlan, \.configurations]
    let _: ModelContext = container.mainContext
    let configuration = ModelConfiguration()
    let plan: (any SchemaMigrationPlan.Type)? = NamedPlan.self
    _ = try ModelContainer(for: Thing.self, migrationPlan: plan, configurations: configuration)
    _ = try ModelContainer(for: schema, migrationPlan: plan, configurations: configuration)
    _ = try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration])
    let other: any DataStoreConfiguration = configuration
    _ = try ModelContainer(for: Thing.self, configurations: other)
    _ = try ModelContainer(for: schema, configurations: [other])
    try container.erase()
    let _: String? = container.storeIdentifier(forConfigurationNamed: "A")
    let _: String? = container.configurationName(forStoreIdentifier: "A")
    let _: Notification.Name = ModelContainer.remoteChange
  }

  static func contexts(_ context: ModelContext, _ thing: Thing, _ id: PersistentIdentifier) throws {
    _ = ModelContext(context.container)
    let _: [PartialKeyPath<ModelContext>] = [
      \.container, \.autosaveEnabled, \.author, \.editingState, \.hasChanges,
      \.insertedModelsArray, \.changedModelsArray, \.deletedModelsArray, \.debugDescription,
    ]
    let _: any PersistentModel = context.model(for: id)
    let _: Thing? = context.registeredModel(for: id)
    context.insert(thing)
    context.delete(thing)
    try context.delete(model: Thing.self, where: nil, includeSubclasses: true)
    context.rollback()
    context.processPendingChanges()
    try context.transaction {}
    try context.save()
    let descriptor = FetchDescriptor<Thing>(predicate: nil, sortBy: [])
    let _: [Thing] = try context.fetch(descriptor)
    let _: Int = try context.fetchCount(descriptor)
    let _: FetchResultsCollection<Thing> = try context.fetch(descriptor, batchSize: 1)
    let _: [PersistentIdentifier] = try context.fetchIdentifiers(descriptor)
    let _: FetchResultsCollection<PersistentIdentifier> =
      try context.fetchIdentifiers(descriptor, batchSize: 1)
    try context.enumerate(descriptor, batchSize: 1, allowEscapingMutations: true) { (_: Thing) in }
    let history = HistoryDescriptor<DefaultHistoryTransaction>(predicate: nil, sortBy: [])
    let _: [DefaultHistoryTransaction] = try context.fetchHistory(history)
    try context.deleteHistory(history)
    let _: [Notification.Name] = [ModelContext.willSave, ModelContext.didSave]
    let _: [ModelContext.NotificationKey] = [
      .queryGeneration, .invalidatedAllIdentifiers, .insertedIdentifiers, .updatedIdentifiers,
      .deletedIdentifiers, .historyTokens,
    ]
    let _: [PartialKeyPath<FetchDescriptor<Thing>>] = [
      \.predicate, \.sortBy, \.fetchLimit, \.fetchOffset, \.includePendingChanges,
      \.propertiesToFetch, \.relationshipKeyPathsForPrefetching,
    ]
  }

  static func stores<Store: DataStore & DataStoreBatching & HistoryProviding>(
    _ store: Store,
    _ fetch: DataStoreFetchRequest<Thing>,
    _ save: DataStoreSaveChangesRequest<Store.Snapshot>,
    _ delete: DataStoreBatchDeleteRequest<Thing>,
    _ history: HistoryDescriptor<Store.HistoryType>
  ) throws {
    let _: (String, Schema, Store.Configuration) = (
      store.identifier, store.schema, store.configuration
    )
    _ = try Store(store.configuration, migrationPlan: nil)
    try store.erase()
    let result: DataStoreFetchResult<Thing, Store.Snapshot> = try store.fetch(fetch)
    _ = (result.descriptor, result.fetchedSnapshots, result.relatedSnapshots)
    _ = DataStoreFetchResult<Thing, Store.Snapshot>(
      descriptor: fetch.descriptor,
      fetchedSnapshots: [],
      relatedSnapshots: [:]
    )
    let _: Int = try store.fetchCount(fetch)
    let _: [PersistentIdentifier] = try store.fetchIdentifiers(fetch)
    let saved: DataStoreSaveChangesResult<Store.Snapshot> = try store.save(save)
    _ = (saved.remappedIdentifiers, saved.storeIdentifier, saved.snapshotsToReregister)
    let _: (any HistoryToken)? = saved.historyToken
    _ = (save.inserted, save.updated, save.deleted, save.editingState)
    store.initializeState(for: fetch.editingState)
    store.invalidateState(for: fetch.editingState)
    _ = try store.cachedSnapshots(for: [], editingState: fetch.editingState)
    try store.delete(delete)
    _ = (delete.editingState, delete.predicate, delete.includeSubclasses)
    let _: Store.HistoryType.Type = Store.historyType
    let _: [Store.HistoryType] = try store.fetchHistory(history)
    try store.deleteHistory(history)
    let _: [any Error] = [
      DataStoreError.unsupportedFeature, DataStoreError.preferInMemoryFilter,
      DataStoreError.preferInMemorySort, DataStoreError.invalidPredicate,
    ]
    let _: (UUID, String?) = (fetch.editingState.id, fetch.editingState.author)
    let _: [DataStoreSnapshotCodingKey] = [.persistentIdentifier, .modeledProperty("name")]
  }

  static func snapshots(_ snapshot: DefaultSnapshot, _ backing: any BackingData) throws {
    var related: [PersistentIdentifier: any BackingData] = [:]
    _ = DefaultSnapshot(from: backing, relatedBackingDatas: &related)
    let id: PersistentIdentifier = snapshot.persistentIdentifier
    let _: DefaultSnapshot = snapshot.copy(persistentIdentifier: id, remappedIdentifiers: nil)
    let store = try DefaultStore(ModelConfiguration(), migrationPlan: nil)
    let _: (String, ModelConfiguration) = (store.name, store.configuration)
    func take(_: some DataStoreSnapshotValue) {}
    take(1)
  }

  static func histories(
    _ transaction: DefaultHistoryTransaction,
    _ insert: DefaultHistoryInsert<Thing>,
    _ update: DefaultHistoryUpdate<Thing>,
    _ delete: DefaultHistoryDelete<Thing>
  ) {
    let _: [PartialKeyPath<DefaultHistoryTransaction>] = [
      \.id, \.timestamp, \.changes, \.token, \.transactionIdentifier, \.storeIdentifier,
      \.bundleIdentifier, \.processIdentifier, \.author,
    ]
    let changes: [HistoryChange] = [.insert(insert), .update(update), .delete(delete)]
    let _: [PersistentIdentifier] = changes.map(\.changedPersistentIdentifier)
    _ = (insert.changeIdentifier, insert.transactionIdentifier, insert.changedPersistentIdentifier)
    let _: [any PartialKeyPath<Thing> & Sendable] = update.updatedAttributes
    let tombstone: HistoryTombstone<Thing> = delete.tombstone
    let _: (any Sendable)? = tombstone[\.name]
    for value in tombstone { let _: Any = value }
    let _: [String: Int64]? = transaction.token.tokenValue
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: nil)
    descriptor.fetchLimit = 1
    descriptor.sortBy = []
    descriptor.predicate = nil
  }

  static func actors(_ named: isolated NamedActor, _ id: PersistentIdentifier) {
    let _: (ModelContainer, any ModelExecutor) = (named.modelContainer, named.modelExecutor)
    let _: ModelContext = named.modelContext
    let _: Thing? = named[id, as: Thing.self]
    let executor = DefaultSerialModelExecutor(modelContext: named.modelContext)
    let _: UnownedSerialExecutor = executor.asUnownedSerialExecutor()
    let _: any SerialModelExecutor = executor
  }

  static var errors: [SwiftDataError] {
    [
      .includePendingChangesWithBatchSize, .unsupportedPredicate, .unsupportedKeyPath,
      .sortingPendingChangesWithIdentifiers, .unsupportedSortDescriptor, .duplicateConfiguration,
      .configurationFileNameTooLong, .configurationFileNameContainsInvalidCharacters,
      .configurationSchemaNotFoundInContainerSchema, .loadIssueModelContainer,
      .modelValidationFailure, .missingModelContext, .backwardMigration, .unknownSchema,
      .unknownDataStoreSchema, .historyTokenExpired, .invalidTransactionFetchRequest,
    ]
  }
}
