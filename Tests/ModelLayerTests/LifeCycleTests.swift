import ModelLayer
import Testing

@Suite("No state of an object traps")
struct LifeCycleTests {
  @Test func `a deleted object keeps its last values`() throws {
    let context = ModelContext(try makeContainer())
    let trip = Trip(name: "Alps")
    trip.bucketList = [BucketListItem("ski")]
    context.insert(trip)
    try context.save()
    let identifier = trip.persistentModelID
    context.delete(trip)
    #expect(trip.isDeleted)
    #expect(trip.modelContext === context)
    try context.save()
    #expect(trip.isDeleted)
    #expect(trip.modelContext == nil)
    #expect(trip.persistentModelID == identifier)
    #expect(trip.name == "Alps")
    trip.name = "still writable"
    trip.bucketList = []
    #expect(!context.hasChanges)
    try context.save()
  }

  @Test func `an object that another context deleted keeps its values`() throws {
    let container = try makeContainer()
    let here = ModelContext(container)
    here.insert(Trip(name: "Alps"))
    try here.save()
    let there = ModelContext(container)
    there.delete(try #require(try there.all(Trip.self).first))
    let mine = try #require(try here.all(Trip.self).first)
    try there.save()
    #expect(mine.name == "Alps")
    #expect(mine.bucketList.isEmpty)
    mine.name = "Andes"
    #expect(throws: DataStoreError.conflict) { try here.save() }
    here.rollback()
    #expect(mine.name == "Alps")
    #expect(try here.all(Trip.self).isEmpty)
  }

  @Test func `a saved object loads its relationships after its context is released`() throws {
    let container = try makeContainer()
    let writer = ModelContext(container)
    let trip = Trip(name: "Alps")
    trip.bucketList = [BucketListItem("ski")]
    writer.insert(trip)
    try writer.save()
    let found = try #require(try ModelContext(container).all(Trip.self).first)
    #expect(found.bucketList.map(\.title) == ["ski"])
    found.name = "Andes"
    try found.modelContext?.save()
    #expect(try ModelContext(container).all(Trip.self).first?.name == "Andes")
  }

  @Test func `changes after the release of a context are saved by a new one`() throws {
    let container = try makeContainer()
    let writer = ModelContext(container)
    let trip = Trip(name: "Alps")
    trip.bucketList = [BucketListItem("ski"), BucketListItem("hike")]
    writer.insert(trip)
    try writer.save()
    let found = try #require(try ModelContext(container).all(Trip.self).first)
    let items = found.bucketList
    let new = BucketListItem("swim")
    items.first?.title = "climb"
    found.bucketList.append(new)
    new.title = "dive"
    items.last?.trip = nil
    let context = try #require(found.modelContext)
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    let stored = try #require(try ModelContext(container).all(Trip.self).first)
    #expect(stored.bucketList.map(\.title) == ["climb", "dive"])
    #expect(try ModelContext(container).all(BucketListItem.self).count == 3)
  }

  @Test func `an unsaved object keeps its values after its context is released`() throws {
    let container = try makeContainer()
    let trip: Trip = {
      let context = ModelContext(container)
      let trip = Trip(name: "Alps")
      trip.bucketList = [BucketListItem("ski")]
      context.insert(trip)
      return trip
    }()
    #expect(trip.modelContext == nil)
    #expect(trip.name == "Alps")
    #expect(trip.persistentModelID.isTemporary)
    trip.name = "Andes"
    #expect(trip.name == "Andes")
  }

  @Test func `an unknown identifier returns a stand-in`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let pet = Pet("Rex", owner: Owner("Ada"))
    context.insert(pet)
    try context.save()
    let stored = pet.persistentModelID
    let unknown = PersistentIdentifier(scope: stored.scope, key: .integer(999_999))
    let standIn = try #require(context.model(for: unknown) as? Pet)
    #expect(standIn.isDeleted)
    #expect(standIn.persistentModelID == unknown)
    #expect(standIn.name == "")
    #expect(standIn.owner.name == "")
    let missing: Pet? = context.registeredModel(for: unknown)
    #expect(missing == nil)
  }

  @Test func `a required relationship to a deleted object returns a stand-in`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    context.insert(Pet("Rex", owner: Owner("Ada")))
    try context.save()
    let reader = ModelContext(container)
    let pet = try #require(try reader.all(Pet.self).first)
    let other = ModelContext(container)
    let rex = try #require(try other.all(Pet.self).first)
    let ada = rex.owner
    other.delete(rex)
    other.delete(ada)
    try other.save()
    #expect(pet.owner.isDeleted)
    #expect(pet.owner.name == "")
  }

  @Test func `an unused object is released, and fetched again when needed`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "Alps")
    trip.bucketList = [BucketListItem("ski"), BucketListItem("hike")]
    context.insert(trip)
    try context.save()
    let identifier = try #require(trip.bucketList.first).persistentModelID
    context.evictUnused()
    let evicted: BucketListItem? = context.registeredModel(for: identifier)
    #expect(evicted == nil)
    #expect(trip.bucketList.map(\.title) == ["ski", "hike"])
    #expect(trip.bucketList.first?.trip === trip)
  }

  @Test func `the objects of a context are released with it`() throws {
    weak var trip: Trip?
    weak var item: BucketListItem?
    let container = try makeContainer()
    try {
      let context = ModelContext(container)
      let made = Trip(name: "Alps")
      made.bucketList = [BucketListItem("ski")]
      context.insert(made)
      try context.save()
      trip = made
      item = made.bucketList.first
      #expect(item?.trip === made)
    }()
    #expect(trip == nil)
    #expect(item == nil)
  }
}
