import ModelLayer
import StoreTestSupport
import Testing

/// A snapshot that reads relationships by key path.
private struct PeerSnapshot: DataStoreSnapshot {
  var persistentIdentifier: PersistentIdentifier
  var name = ""
  var boss: PersistentIdentifier?
  var home: PersistentIdentifier?
  var homeName: String?
  var friends: [PersistentIdentifier] = []
  var friendNames: [String] = []

  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    persistentIdentifier = backingData.persistentModelID ?? .missing
    if let peer = backingData as? any BackingData<Peer> { read(peer) }
    if let place = backingData as? any BackingData<Place> {
      name = place.getValue(forKey: \.name)
    }
  }

  private mutating func read(_ peer: some BackingData<Peer>) {
    name = peer.getValue(forKey: \.name)
    boss = peer.getValue(forKey: \.boss)?.persistentModelID
    let place = peer.getValue(forKey: \.home)
    (home, homeName) = (place.persistentModelID, place.name)
    let others: [Peer] = peer.getValue(forKey: \.friends)
    friends = others.map(\.persistentModelID)
    friendNames = others.map(\.name)
  }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> PeerSnapshot {
    let map = remappedIdentifiers ?? [:]
    var copy = self
    copy.persistentIdentifier = persistentIdentifier
    copy.boss = boss.map { map[$0] ?? $0 }
    copy.home = home.map { map[$0] ?? $0 }
    copy.friends = friends.map { map[$0] ?? $0 }
    return copy
  }
}

extension PersistentIdentifier {
  fileprivate static var missing: PersistentIdentifier {
    Place("missing").persistentModelID
  }
}

@Model
final class Place {
  var name: String

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Peer {
  var name: String
  var boss: Peer?
  var home: Place
  @Relationship(inverse: \Peer.befriended) var friends: [Peer] = []
  var befriended: [Peer] = []

  init(_ name: String, home: Place) {
    self.name = name
    self.home = home
  }
}

/// A store in memory with snapshots of its own.
private final class PeerStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = PeerStore
    var name = "peers"
    var schema: Schema?
    let rows = Rows()

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// The rows, which tests compare.
  final class Rows: @unchecked Sendable {
    var all: [PersistentIdentifier: PeerSnapshot] = [:]

    func named(_ name: String) -> PeerSnapshot? { all.values.first { $0.name == name } }
  }

  typealias Snapshot = PeerSnapshot

  let configuration: Configuration
  let schema: Schema
  let identifier = "peers"

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    guard let schema = configuration.schema else { throw SwiftDataError.unknownSchema }
    self.configuration = configuration
    self.schema = schema
  }

  func save(
    _ request: DataStoreSaveChangesRequest<PeerSnapshot>
  ) throws -> DataStoreSaveChangesResult<PeerSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier,
        entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID()
      )
    }
    for snapshot in request.inserted + request.updated {
      let permanent = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      configuration.rows.all[permanent] = snapshot.copy(
        persistentIdentifier: permanent,
        remappedIdentifiers: remapped
      )
    }
    for snapshot in request.deleted {
      configuration.rows.all[snapshot.persistentIdentifier] = nil
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, PeerSnapshot> where T: PersistentModel {
    let rows = configuration.rows.all
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: Array(rows.values),
      relatedSnapshots: rows
    )
  }
}

@Suite("Snapshots that read relationships by key path")
struct SnapshotRelationshipTests {
  private let configuration = PeerStore.Configuration()

  private func open() throws -> ModelContext {
    ModelContext(try ModelContainer(for: Peer.self, Place.self, configurations: configuration))
  }

  private func peer(_ name: String, in context: ModelContext) throws -> Peer {
    let named = FetchDescriptor<Peer>(predicate: #Predicate { $0.name == name })
    return try #require(try context.fetch(named).first)
  }

  @Test func `read new objects`() throws {
    let context = try open()
    let (ada, bob) = try fill(context)
    let row = try #require(configuration.rows.named("Ada"))
    #expect(row.boss == nil)
    #expect(row.home == ada.home.persistentModelID)
    #expect(row.homeName == "Rome")
    #expect(row.friends == [bob.persistentModelID])
    #expect(row.friendNames == ["Bob"])
    #expect(configuration.rows.named("Bob")?.boss == ada.persistentModelID)
  }

  @Test func `read stored objects that are not loaded, and new ones`() throws {
    try withExtendedLifetime(open()) { _ = try fill($0) }
    let context = try open()
    let ada = try peer("Ada", in: context)
    let eve = Peer("Eve", home: Place("Oslo"))
    eve.boss = ada
    context.insert(eve)
    try context.save()
    #expect(configuration.rows.named("Eve")?.boss == ada.persistentModelID)

    let other = try open()
    let again = try peer("Ada", in: other)
    again.name = "Ada L."
    again.boss = Peer("Zoe", home: Place("Bern"))
    try other.save()
    let row = try #require(configuration.rows.named("Ada L."))
    #expect(row.boss == configuration.rows.named("Zoe")?.persistentIdentifier)
    #expect(row.homeName == "Rome")
    #expect(row.home == configuration.rows.named("Rome")?.persistentIdentifier)
    #expect(row.friendNames == ["Bob"])
    #expect(!other.hasChanges)
    again.boss = nil
    try other.save()
    #expect(configuration.rows.named("Ada L.")?.boss == nil)
    #expect(again.friends.map(\.name) == ["Bob"])
  }

  @Test func `read identifiers whose rows are gone`() throws {
    let (ada, bob) = try withExtendedLifetime(open()) { context in
      let (ada, bob) = try fill(context)
      return (ada.persistentModelID, bob.persistentModelID)
    }
    let home = try #require(configuration.rows.all[ada]?.home)
    configuration.rows.all[home] = nil
    configuration.rows.all[bob] = nil
    let context = try open()
    try peer("Ada", in: context).name = "Ada L."
    try context.save()
    let row = try #require(configuration.rows.named("Ada L."))
    #expect(row.home == home)
    #expect(row.homeName == "")
    #expect(row.friends == [bob])
  }

  private func fill(_ context: ModelContext) throws -> (Peer, Peer) {
    let ada = Peer("Ada", home: Place("Rome"))
    let bob = Peer("Bob", home: ada.home)
    bob.boss = ada
    ada.friends = [bob]
    context.insert(ada)
    context.insert(bob)
    try context.save()
    return (ada, bob)
  }
}
