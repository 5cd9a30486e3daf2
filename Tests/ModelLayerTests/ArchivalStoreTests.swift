import ModelLayer
import StoreTestSupport
import Testing

/// A store as written for SwiftData, which reads and writes the whole file each time.
final class ArchivalStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = ArchivalStore
    var name = "archive"
    var schema: Schema?
    var fileURL: URL
    /// Whether the store replaces the identifiers of new objects in references, as it must.
    var remapsReferences = true
    /// A change of the store's own to each new row.
    var completes: (@Sendable (inout DefaultSnapshot) -> Void)?

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let schema: Schema
  let identifier: String

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    guard let schema = configuration.schema else { throw SwiftDataError.unknownSchema }
    self.configuration = configuration
    self.schema = schema
    identifier = configuration.fileURL.lastPathComponent
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier,
        entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID()
      )
    }
    var rows = try read()
    var changed: [PersistentIdentifier: DefaultSnapshot] = [:]
    for snapshot in request.inserted {
      guard let permanent = remapped[snapshot.persistentIdentifier] else { continue }
      var row = snapshot.copy(
        persistentIdentifier: permanent,
        remappedIdentifiers: configuration.remapsReferences ? remapped : [:]
      )
      if let completes = configuration.completes {
        completes(&row)
        changed[permanent] = row
      }
      rows[permanent] = row
    }
    for snapshot in request.updated {
      rows[snapshot.persistentIdentifier] = snapshot.copy(
        persistentIdentifier: snapshot.persistentIdentifier,
        remappedIdentifiers: remapped
      )
    }
    for snapshot in request.deleted { rows[snapshot.persistentIdentifier] = nil }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(Array(rows.values)).write(to: configuration.fileURL)
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: remapped,
      snapshotsToReregister: changed
    )
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let rows = try read()
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: Array(rows.values),
      relatedSnapshots: rows
    )
  }

  private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path) else { return [:] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let data = try Data(contentsOf: configuration.fileURL)
    let rows = try decoder.decode([DefaultSnapshot].self, from: data)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.persistentIdentifier, $0) })
  }
}

@Suite("A store written for SwiftData")
struct ArchivalStoreTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `supports children, predicates, sort orders, limits and offsets`() throws {
    let configuration = ArchivalStore.Configuration(fileURL: folder.file("trips.json"))
    try fill(configuration)

    let container = try open(configuration)
    let context = ModelContext(container)
    let alps = try #require(
      try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Alps" })).first
    )
    #expect(alps.bucketList.map(\.title) == ["ski", "hike"])
    #expect(alps.bucketList.first?.trip === alps)
    var window = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name, order: .reverse)])
    window.fetchLimit = 2
    window.fetchOffset = 1
    #expect(try context.fetch(window).map(\.name) == ["Bern", "Alps"])
    #expect(try context.fetchCount(window) == 2)
    #expect(try context.fetch(FetchDescriptor<PersonalTrip>()).map(\.name) == ["Oslo"])
    alps.bucketList.removeLast()
    context.delete(alps.bucketList[0])
    alps.destination = "Zermatt"
    try context.save()
    let again = try ModelContext(container).fetch(
      FetchDescriptor<Trip>(predicate: #Predicate { $0.destination == "Zermatt" })
    )
    #expect(again.map(\.name) == ["Alps"])
    #expect(again.first?.bucketList.isEmpty == true)
  }

  @Test func `can change rows in a save, which the context then reads again`() throws {
    var configuration = ArchivalStore.Configuration(fileURL: folder.file("trips.json"))
    configuration.completes = { row in
      if row.persistentIdentifier.entityName == "Trip" { row["destination"] = .string("anywhere") }
    }
    let context = ModelContext(try open(configuration))
    let alps = Trip(name: "Alps")
    alps.bucketList = [BucketListItem("ski")]
    context.insert(alps)
    try context.save()
    #expect(alps.destination == "anywhere")
    #expect(alps.bucketList.map(\.title) == ["ski"])
    #expect(!context.hasChanges)
  }

  /// Keys that are no numbers are kept beside the object's fields.
  @Test(arguments: [false, true])
  func `has relationships that a refresh and a rollback read again`(isSame: Bool) throws {
    let configuration = ArchivalStore.Configuration(fileURL: folder.file("trips.json"))
    try fill(configuration)
    let container = try open(configuration)
    let context = ModelContext(container)
    let other = ModelContext(isSame ? container : try open(configuration))
    func item(_ title: String, in context: ModelContext) throws -> BucketListItem {
      let items = FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.title == title })
      return try #require(try context.fetch(items).first)
    }
    func trip(_ name: String, in context: ModelContext) throws -> Trip {
      let trips = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
      return try #require(try context.fetch(trips).first)
    }
    let (ski, hike) = (try item("ski", in: context), try item("hike", in: context))
    #expect(ski.trip?.name == "Alps")
    hike.trip = try trip("Oslo", in: context)

    for title in ["ski", "hike"] {
      try item(title, in: other).trip = try trip("Bern", in: other)
    }
    try other.save()
    for item in [ski, hike] { _ = try context.refresh(item) }
    #expect(ski.trip?.name == "Bern")
    #expect(hike.trip?.name == "Oslo")
    context.rollback()
    #expect(ski.trip?.name == "Bern")
    #expect(hike.trip?.name == "Bern")
    #expect(Set(try trip("Bern", in: context).bucketList.map(\.title)) == ["ski", "hike"])

    try item("ski", in: other).trip = nil
    try other.save()
    _ = try context.refresh(ski)
    #expect(ski.trip == nil)
    try item("ski", in: other).trip = try trip("Alps", in: other)
    try other.save()
    try context.refreshAll()
    #expect(ski.trip?.name == "Alps")
    #expect(!context.hasChanges)
  }

  @Test func `reports references to unsaved objects, which it did not replace`() throws {
    var configuration = ArchivalStore.Configuration(fileURL: folder.file("trips.json"))
    configuration.remapsReferences = false
    try fill(configuration)
    func expectReport() throws {
      let context = ModelContext(try open(configuration))
      let error = #expect(throws: DataStoreError.self) {
        try context.fetch(FetchDescriptor<BucketListItem>())
      }
      #expect(error == .invalidValue)
      #expect(["trip", "bucketList"].contains(error?.property))
      #expect(error?.message.contains("copy(persistentIdentifier:remappedIdentifiers:)") == true)
    }
    try expectReport()
    // Another process reads identifiers of unsaved objects as strings.
    let text = try String(contentsOf: configuration.fileURL, encoding: .utf8)
    let other = text.replacing(/[0-9A-F-]{36}\\?\/(\d+)/) { "another process-\($0.output.1)" }
    try #require(text != other)
    try Data(other.utf8).write(to: configuration.fileURL)
    try expectReport()
  }

  private func open(_ configuration: ArchivalStore.Configuration) throws -> ModelContainer {
    try ModelContainer(for: Trip.self, PersonalTrip.self, configurations: configuration)
  }

  private func fill(_ configuration: ArchivalStore.Configuration) throws {
    let context = ModelContext(try open(configuration))
    let alps = Trip(name: "Alps")
    alps.bucketList = [BucketListItem("ski"), BucketListItem("hike")]
    context.insert(alps)
    context.insert(Trip(name: "Bern"))
    context.insert(PersonalTrip(name: "Oslo", reason: .family))
    try context.save()
    #expect(!alps.persistentModelID.isTemporary)
    #expect(alps.bucketList.allSatisfy { !$0.persistentModelID.isTemporary })
  }
}
