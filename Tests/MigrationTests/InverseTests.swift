import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A new inverse of a relationship, on each store with files")
struct InverseTests {
  private static func one(
    _ name: String,
    _ entity: String,
    inverse: String? = nil,
    toOne: Bool = false,
    isOptional: Bool = true
  ) -> StoreProperty {
    StoreProperty(
      name: name,
      kind: .toOne(
        StoreRelationship(destination: entity, inverse: inverse, inverseIsToOne: toOne)
      ),
      isOptional: isOptional
    )
  }

  private static func many(
    _ name: String,
    _ entity: String,
    inverse: String? = nil,
    toOne: Bool = false
  ) -> StoreProperty {
    StoreProperty(
      name: name,
      kind: .toMany(
        StoreRelationship(destination: entity, inverse: inverse, inverseIsToOne: toOne)
      )
    )
  }

  private let trip = StoreEntity(name: "Trip", properties: [many("stops", "Stop")])
  private let stop = StoreEntity(name: "Stop", properties: [])
  private let newTrip = StoreEntity(
    name: "Trip",
    properties: [many("stops", "Stop", inverse: "trip", toOne: true)]
  )

  private func newStop(isOptional: Bool = true) -> StoreEntity {
    StoreEntity(
      name: "Stop",
      properties: [Self.one("trip", "Trip", inverse: "stops", isOptional: isOptional)]
    )
  }

  private func relatedRows(
    _ store: any RecordStore,
    _ property: String,
    _ owners: [PersistentIdentifier]
  ) throws -> [[PersistentIdentifier]] {
    let entity = try #require(owners.first).entityName
    let found = try store.members(of: property, in: entity, owners: owners)
    return owners.map { found[$0] ?? [] }
  }

  private func values(
    _ store: any RecordStore,
    _ entity: String,
    _ name: String
  ) throws -> [StoreValue?] {
    try store.fetch(StoreQuery(entity: entity)).map { $0[name] }
  }

  @Test(arguments: EveryStore.files)
  func `gets the owner of each related object, and the list keeps its order`(
    _ kind: EveryStore
  ) throws {
    let fixture = try StructureFixture(kind)
    var (trips, stops): ([PersistentIdentifier], [PersistentIdentifier]) = ([], [])
    let store = try fixture.change(
      [trip, stop],
      {
        stops = try $0.insert((0..<5).map { _ in .new(stop) })
        trips = try $0.insert([
          .new(trip, ["stops": .identifiers([stops[2], stops[0]])]),
          .new(trip, ["stops": .identifiers([stops[1], stops[3]])]), .new(trip),
        ])
      },
      to: [newTrip, newStop()]
    )
    #expect(
      try relatedRows(store, "stops", trips) == [[stops[2], stops[0]], [stops[1], stops[3]], []]
    )
    let owners: [StoreValue] = [0, 1, 0, 1].map { .identifier(trips[$0]) }
    #expect(try values(store, "Stop", "trip") == owners + [.null])
  }

  @Test(arguments: EveryStore.files)
  func `is refused if rows have two owners, and changes nothing`(
    _ kind: EveryStore
  ) throws {
    let fixture = try StructureFixture(kind)
    var (trips, stops): ([PersistentIdentifier], [PersistentIdentifier]) = ([], [])
    do {
      let store = try fixture.open([trip, stop])
      stops = try store.insert((0..<3).map { _ in .new(stop) })
      trips = try store.insert([
        .new(trip, ["stops": .identifiers([stops[0], stops[1]])]),
        .new(trip, ["stops": .identifiers([stops[1], stops[2]])]),
      ])
    }
    let before = try Data(contentsOf: fixture.url)
    let error = try #require(throws: DataStoreError.self) {
      try fixture.open([newTrip, newStop()])
    }
    #expect(error == .schemaMismatch)
    #expect(error.entity == "Stop" && error.property == "trip")
    #expect(error.identifiers == [stops[1], trips[0], trips[1]])
    #expect(error.message.contains("1 row would be in Trip.stops of more than one object"))
    #expect(error.message.contains("for example \(stops[1]) of \(trips[0]) and \(trips[1])"))
    #expect(try Data(contentsOf: fixture.url) == before)
    let store = try fixture.open([trip, stop])
    #expect(
      try relatedRows(store, "stops", trips) == [[stops[0], stops[1]], [stops[1], stops[2]]]
    )
  }

  @Test(arguments: EveryStore.files)
  func `is refused if it is required and a row has no owner`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    let new = [newTrip, newStop(isOptional: false)]
    var stops: [PersistentIdentifier] = []
    do {
      let store = try fixture.open([trip, stop])
      stops = try store.insert([.new(stop), .new(stop)])
      try store.insert([.new(trip, ["stops": .identifiers([stops[0]])])])
    }
    let error = try #require(throws: DataStoreError.self) { try fixture.open(new) }
    #expect(error == .schemaMismatch && error.property == "trip")
    #expect(error.identifiers == [stops[1]])
    do {
      let store = try fixture.open([trip, stop])
      _ = try store.apply(StoreChanges(deleted: [stops[1]]))
    }
    let trips = try fixture.open([trip, stop]).identifiers(StoreQuery(entity: "Trip"))
    let store = try fixture.open(new)
    #expect(try values(store, "Stop", "trip") == [.identifier(trips[0])])
  }

  @Test(arguments: EveryStore.files)
  func `contains every owner if it is to-many`(_ kind: EveryStore) throws {
    let fixture = try StructureFixture(kind)
    var (trips, stops): ([PersistentIdentifier], [PersistentIdentifier]) = ([], [])
    let store = try fixture.change(
      [trip, stop],
      {
        stops = try $0.insert((0..<3).map { _ in .new(stop) })
        trips = try $0.insert([
          .new(trip, ["stops": .identifiers([stops[1], stops[0]])]),
          .new(trip, ["stops": .identifiers([stops[1]])]),
        ])
      },
      to: [
        StoreEntity(name: "Trip", properties: [Self.many("stops", "Stop", inverse: "trips")]),
        StoreEntity(name: "Stop", properties: [Self.many("trips", "Trip", inverse: "stops")]),
      ]
    )
    #expect(try relatedRows(store, "stops", trips) == [[stops[1], stops[0]], [stops[1]]])
    #expect(try relatedRows(store, "trips", stops) == [[trips[0]], trips, []])
  }

  @Test(arguments: EveryStore.files)
  func `is one-to-one for a to-one relationship, also in a hierarchy`(
    _ kind: EveryStore
  ) throws {
    let fixture = try StructureFixture(kind)
    let animal = StoreEntity(name: "Animal", properties: [Self.one("den", "Den")])
    let dog = StoreEntity(
      name: "Dog",
      superentity: "Animal",
      root: "Animal",
      properties: animal.properties + [Self.many("pups", "Dog")]
    )
    let den = StoreEntity(name: "Den", properties: [])
    let newAnimal = StoreEntity(
      name: "Animal",
      properties: [Self.one("den", "Den", inverse: "animal", toOne: true)]
    )
    let newDog = StoreEntity(
      name: "Dog",
      superentity: "Animal",
      root: "Animal",
      properties: newAnimal.properties + [
        Self.many("pups", "Dog", inverse: "mother", toOne: true),
        Self.one("mother", "Dog", inverse: "pups"),
      ]
    )
    let newDen = StoreEntity(
      name: "Den",
      properties: [Self.one("animal", "Animal", inverse: "den", toOne: true)]
    )
    var (dens, dogs): ([PersistentIdentifier], [PersistentIdentifier]) = ([], [])
    let store = try fixture.change(
      [animal, dog, den],
      {
        dens = try $0.insert([.new(den), .new(den)])
        try $0.insert([.new(animal)])
        dogs = try $0.insert([.new(dog, ["den": .identifier(dens[1])]), .new(dog)])
        dogs += try $0.insert([.new(dog, ["pups": .identifiers([dogs[1], dogs[0]])])])
      },
      to: [newAnimal, newDog, newDen]
    )
    #expect(try values(store, "Den", "animal") == [.null, .identifier(dogs[0])])
    #expect(
      try values(store, "Dog", "mother") == [.identifier(dogs[2]), .identifier(dogs[2]), .null]
    )
    #expect(try relatedRows(store, "pups", [dogs[2]]) == [[dogs[1], dogs[0]]])
  }

  /// Creates a store with the first model of the README.
  private func fill(_ configuration: any DataStoreConfiguration, sharing: Bool = false) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: FirstLook.self),
      configurations: [configuration]
    )
    let context = ModelContext(container)
    let fjords = FirstLook.Trip("Fjords")
    let alps = FirstLook.Trip("Alps")
    context.insert(fjords)
    context.insert(alps)
    fjords.stops = [FirstLook.Stop("Flåm"), FirstLook.Stop("Bergen")]
    alps.stops = [FirstLook.Stop("Chur")] + (sharing ? fjords.stops : [])
    try context.save()
  }

  private func expectGuide(
    _ configuration: any DataStoreConfiguration,
    _ plan: (any SchemaMigrationPlan.Type)?
  ) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: GuideLook.self),
      migrationPlan: plan,
      configurations: [configuration]
    )
    let context = ModelContext(container)
    let order = [SortDescriptor(\GuideLook.Trip.name)]
    let trips = try context.fetch(FetchDescriptor<GuideLook.Trip>(sortBy: order))
    #expect(trips.map { $0.stops.map(\.place) } == [["Chur"], ["Flåm", "Bergen"]])
    #expect(trips.allSatisfy { trip in trip.stops.allSatisfy { $0.trip === trip } })
    for case let store as any MaintainableStore in container.stores {
      #expect(try store.verify() == [])
    }
  }

  private func configuration(
    _ kind: EveryStore,
    in folder: TemporaryFolder
  ) -> any DataStoreConfiguration {
    kind == .json
      ? JSONFileStoreConfiguration(url: folder.file("store.json"))
      : ModelConfiguration(url: folder.file("store.db"))
  }

  @Test(arguments: EveryStore.files, [0, 1, 2])
  func `is inferred without a plan, with a plan, and with a coded plan`(
    _ kind: EveryStore,
    plan: Int
  ) throws {
    let folder = try TemporaryFolder()
    let configuration = configuration(kind, in: folder)
    try fill(configuration)
    let plans: [(any SchemaMigrationPlan.Type)?] = [nil, LightLook.self, CodedLook.self]
    if let plan = plans[plan] { #expect(try plan.rehearse(on: configuration).succeeds) }
    try expectGuide(configuration, plans[plan])
  }

  @Test(arguments: [0, 1, 2])
  func `is inferred for a store without support for migrations`(plan: Int) throws {
    let configuration = ShelfStore.Configuration()
    try fill(configuration)
    let plans: [(any SchemaMigrationPlan.Type)?] = [nil, LightLook.self, CodedLook.self]
    try expectGuide(configuration, plans[plan])
  }

  @Test(arguments: [nil, EveryStore.sqlite, .json])
  func `is refused in a rehearsal and a migration if rows have two owners`(
    _ kind: EveryStore?
  ) throws {
    let folder = try TemporaryFolder()
    let configuration =
      kind.map { self.configuration($0, in: folder) } ?? ShelfStore.Configuration()
    try fill(configuration, sharing: true)
    let rehearsal = try CodedLook.rehearse(on: configuration)
    #expect(!rehearsal.succeeds)
    #expect(rehearsal.violations.map(\.count) == [2])
    #expect(rehearsal.violations.first?.properties == ["trip"])
    #expect(rehearsal.violations.first?.related.count == 2)
    #expect(throws: DataStoreError.schemaMismatch) {
      try expectGuide(configuration, CodedLook.self)
    }
  }

  @Test(arguments: [nil, EveryStore.sqlite, .json])
  func `a stage whose code leaves a relationship empty fails`(_ kind: EveryStore?) throws {
    let folder = try TemporaryFolder()
    let configuration =
      kind.map { self.configuration($0, in: folder) } ?? ShelfStore.Configuration()
    try fill(configuration)
    let rehearsal = try ForgetfulLook.rehearse(on: configuration)
    let error = try #require(rehearsal.failure as? DataStoreError)
    #expect(error == .schemaMismatch)
    #expect(error.entity == "Trip" && error.property == "stops")
    #expect(error.message.contains("2 rows have related objects before the stage"))
    #expect(throws: DataStoreError.schemaMismatch) {
      try ModelContainer(
        for: Schema(versionedSchema: SingleLook.self),
        migrationPlan: ForgetfulLook.self,
        configurations: [configuration]
      )
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: SingleLook.self),
      migrationPlan: MindfulLook.self,
      configurations: [configuration]
    )
    let trips = try ModelContext(container).fetch(FetchDescriptor<SingleLook.Trip>())
    #expect(Set(trips.compactMap { $0.stops?.place }) == ["Flåm", "Chur"])
  }
}
