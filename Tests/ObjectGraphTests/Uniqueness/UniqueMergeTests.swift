import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A new object with the unique values of another object")
struct UniqueMergeTests {
  private let fixtures = ContainerFixtures()

  private func openStore(_ store: EveryStore) throws -> ModelContainer {
    try fixtures.open(store, for: Artist.self)
  }

  private func ratings(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).all(Artist.self).map { "\($0.name) \($0.rating)" }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `updates the stored object, which keeps its identity`(store: EveryStore) throws {
    let container = try openStore(store)
    let context = ModelContext(container)
    let stored = Artist("Ada", note: "kept?", rating: 1)
    context.insert(stored)
    try context.save()
    let identifier = stored.persistentModelID
    let new = Artist("Ada", rating: 2)
    context.insert(new)
    try context.save()
    #expect(stored.rating == 2)
    #expect(stored.note == nil, "all values are those of the new object")
    #expect(stored.persistentModelID == identifier)
    #expect(stored.modelContext === context)
    #expect(new.modelContext == nil)
    #expect(!new.isDeleted)
    #expect(
      new.persistentModelID == identifier,
      "the new object has the identifier of the stored one"
    )
    #expect(context.registeredModel(for: identifier) as Artist? === stored)
    #expect(!context.hasChanges)
    #expect(try context.all(Artist.self).map(\.rating) == [2])
    #expect(try ratings(container) == ["Ada 2"])
  }

  /// The rows of the counterparts are new, like those that merge.
  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `takes the counterpart of an object of the same save`(store: EveryStore) throws {
    let container = try openStore(store)
    let context = ModelContext(container)
    for place in ["first", "second"] {
      let artist = Artist("Ada")
      context.insert(artist)
      artist.studio = Studio(place)
    }
    try context.save()
    let reader = ModelContext(container)
    #expect(try reader.all(Artist.self).map(\.studio?.place) == ["second"])
    let studios = try reader.all(Studio.self)
    #expect(studios.map(\.place).sorted() == ["first", "second"])
    #expect(studios.filter { $0.artist != nil }.map(\.place) == ["second"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `represents the stored row if its context has not loaded the row`(store: EveryStore) throws {
    let container = try openStore(store)
    let writer = ModelContext(container)
    let stored = Artist("Ada", rating: 1)
    writer.insert(stored)
    try writer.save()
    let context = ModelContext(container)
    let new = Artist("Ada", rating: 2)
    context.insert(new)
    try context.save()
    #expect(new.modelContext === context)
    #expect(new.persistentModelID == stored.persistentModelID)
    #expect(try context.all(Artist.self).first === new)
    #expect(try ratings(container) == ["Ada 2"])
    #expect(try writer.all(Artist.self).map(\.rating) == [2])
    #expect(stored.rating == 2)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `updates the first of several new objects in one save, which takes the last values`(
    store: EveryStore
  ) throws {
    let container = try openStore(store)
    let context = ModelContext(container)
    let artists = (1...3).map { Artist("Ada", rating: $0) }
    for artist in artists { context.insert(artist) }
    try context.save()
    #expect(artists.map { $0.modelContext == nil } == [false, true, true])
    #expect(artists[0].rating == 3)
    #expect(Set(artists.map(\.persistentModelID)).count == 1)
    #expect(try ratings(container) == ["Ada 3"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is inserted if the same save deletes or renames the other object`(store: EveryStore) throws
  {
    let container = try openStore(store)
    let context = ModelContext(container)
    let (ada, bob) = (Artist("Ada", rating: 1), Artist("Bob", rating: 2))
    context.insert(ada)
    context.insert(bob)
    try context.save()
    ada.name = "Eve"
    context.delete(bob)
    let (newAda, newBob) = (Artist("Ada", rating: 3), Artist("Bob", rating: 4))
    context.insert(newAda)
    context.insert(newBob)
    #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 3)
    try context.save()
    #expect(try ratings(container) == ["Eve 1", "Ada 3", "Bob 4"])
    #expect(newBob.modelContext === context)
    #expect(newBob.persistentModelID != bob.persistentModelID)
    #expect(bob.isDeleted)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `does not prevent other objects from exchanging their values`(
    store: EveryStore
  ) throws {
    let container = try openStore(store)
    let context = ModelContext(container)
    let artists = ["a", "b", "c", "d"].map { Artist($0) }
    for artist in artists { context.insert(artist) }
    try context.save()
    (artists[0].name, artists[1].name) = ("b", "a")
    artists[2].name = "d"
    artists[3].name = "e"
    context.insert(Artist("c", rating: 9))
    try context.save()
    #expect(try ratings(container) == ["b 0", "a 0", "d 0", "e 0", "c 9"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `overwrites unsaved changes of the other object`(store: EveryStore) throws {
    let container = try openStore(store)
    let context = ModelContext(container)
    let stored = Artist("Ada", note: "old", rating: 1)
    let renamed = Artist("Bob")
    context.insert(stored)
    context.insert(renamed)
    try context.save()
    stored.rating = 5
    stored.note = "changed"
    renamed.name = "Eve"
    context.insert(Artist("Ada", rating: 2))
    context.insert(Artist("Eve", rating: 7))
    try context.save()
    #expect(stored.rating == 2)
    #expect(stored.note == nil)
    #expect(renamed.rating == 7)
    #expect(try ratings(container) == ["Ada 2", "Eve 7"])
  }

  @Test(arguments: EveryStore.allCases)
  func `causes a conflict if it is a changed object instead of a new one`(store: EveryStore) throws
  {
    let container = try openStore(store)
    let context = ModelContext(container)
    let (ada, bob) = (Artist("Ada", rating: 1), Artist("Bob", rating: 2))
    context.insert(ada)
    context.insert(bob)
    try context.save()
    bob.name = "Ada"
    bob.rating = 3
    context.insert(Artist("Cid"))
    let error = #expect(throws: DataStoreError.self) { try context.save() }
    #expect(error == .uniqueConflict)
    #expect(error?.entity == "Artist")
    #expect(error?.property == "name")
    #expect(error?.identifiers == [ada.persistentModelID, bob.persistentModelID])
    #expect(error?.message.contains("\(ada.persistentModelID)") == true)
    #expect(error?.message.contains("\(bob.persistentModelID)") == true)
    #expect(try ratings(container) == ["Ada 1", "Bob 2"])
    #expect(context.hasChanges)
    bob.name = "Bert"
    try context.save()
    #expect(try ratings(container) == ["Ada 1", "Bert 3", "Cid 0"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `causes a conflict if its values match two objects`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Chair.self)
    let context = ModelContext(container)
    let room = Room("red")
    let (one, two) = (Chair(1, in: room, tag: "x"), Chair(2, in: room, tag: "y"))
    context.insert(one)
    context.insert(two)
    try context.save()
    context.insert(Chair(1, in: room, tag: "y"))
    let error = #expect(throws: DataStoreError.self) { try context.save() }
    #expect(error == .uniqueConflict)
    #expect(error?.entity == "Chair")
    #expect(Set(error?.identifiers ?? []) == [one.persistentModelID, two.persistentModelID])
    let properties = Set((error?.property ?? "").split(separator: ", ").map(String.init))
    #expect(properties == ["tag", "room", "number"])
    context.rollback()
    one.number = 2
    let compound = #expect(throws: DataStoreError.self) { try context.save() }
    #expect(compound?.property == "room, number")
    #expect(compound?.identifiers == [one.persistentModelID, two.persistentModelID])
    #expect(try ModelContext(container).all(Chair.self).map(\.number) == [1, 2])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is deleted together with the other object by a predicate`(store: EveryStore) throws {
    let container = try openStore(store)
    let context = ModelContext(container)
    context.insert(Artist("Ada", rating: 1))
    context.insert(Artist("Bob", rating: 1))
    try context.save()
    context.insert(Artist("Ada", rating: 9))
    try context.delete(model: Artist.self, where: #Predicate { $0.rating > 5 })
    #expect(try context.all(Artist.self).map(\.name) == ["Bob"])
    try context.save()
    #expect(try ratings(container) == ["Bob 1"])
  }
}
