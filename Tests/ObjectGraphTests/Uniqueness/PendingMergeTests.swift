import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

@Suite("Unsaved objects that will be merged", .timeLimit(.minutes(30)))
struct PendingMergeTests {
  private func fixture(_ store: EveryStore) throws -> ContainerFixture {
    try ContainerFixture(store, for: Artist.self, Chair.self)
  }

  @Test(arguments: EveryStore.withServerAndTextKeys, [false, true])
  func `are deleted together with the objects that a fetch has replaced by them`(
    store: EveryStore,
    isRegistered: Bool
  ) throws {
    let fixture = try fixture(store)
    let container = try fixture.open()
    let writer = ModelContext(container)
    for name in ["Ada", "Bob"] { writer.insert(Artist(name)) }
    try writer.save()
    let context = isRegistered ? writer : ModelContext(container)
    let new = Artist("Ada", rating: 1)
    context.insert(new)
    let fetched = try context.fetch(
      FetchDescriptor<Artist>(predicate: #Predicate { $0.rating > 0 })
    )
    #expect(fetched == [new])
    context.delete(new)
    #expect(try context.all(Artist.self).map(\.name) == ["Bob"])
    try context.save()
    #expect(try ModelContext(container).all(Artist.self).map(\.name) == ["Bob"])
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `are deleted alone if no fetch returned them or they have other values since`(
    store: EveryStore
  ) throws {
    let fixture = try fixture(store)
    let context = try fixture.context()
    for name in ["Ada", "Bob"] { context.insert(Artist(name)) }
    try context.save()
    let (ada, bob) = (Artist("Ada", rating: 1), Artist("Bob", rating: 2))
    context.insert(ada)
    #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 2)
    context.delete(ada)
    context.insert(bob)
    #expect(try context.all(Artist.self).map(\.rating) == [0, 2])
    bob.name = "Cid"
    context.delete(bob)
    try context.save()
    #expect(try ModelContext(context.container).all(Artist.self).map(\.name) == ["Ada", "Bob"])
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `restore the replaced objects if they are inserted again`(store: EveryStore) throws {
    let fixture = try fixture(store)
    let context = try fixture.context()
    let stored = Artist("Ada", rating: 1)
    stored.works = [Work("one")]
    context.insert(stored)
    try context.save()
    let new = Artist("Ada", rating: 2)
    context.insert(new)
    #expect(try context.all(Artist.self) == [new])
    context.delete(new)
    #expect(try context.all(Artist.self).isEmpty)
    context.insert(new)
    try context.save()
    let fresh = try ModelContext(context.container).all(Artist.self)
    #expect(fresh.map(\.rating) == [2])
    #expect(fresh.first?.works.map(\.title) == ["one"])
    #expect(fresh.first?.persistentModelID == stored.persistentModelID)
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `satisfy conditions on the related objects of both`(store: EveryStore) throws {
    let fixture = try fixture(store)
    let context = try fixture.context()
    let stored = Artist("Ada")
    stored.works = [Work("old")]
    stored.studio = Studio("here")
    context.insert(stored)
    try context.save()
    let new = Artist("Ada", rating: 5)
    new.works = [Work("new")]
    context.insert(new)
    let before = try MergingQuestion.answers(in: context)
    #expect(before.contains("with several works: [\"Ada 5\"] 1"))
    #expect(before.contains("with an old work: [\"Ada 5\"] 1"))
    #expect(before.contains("with new works only: [] 0"))
    #expect(before.contains("works of rating: [\"old\", \"new\"]"))
    #expect(before.contains("empty studios: [\"here\"]"))
    try context.save()
    #expect(try MergingQuestion.answers(in: context) == before)
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `are merged by unique references to merged objects`(store: EveryStore) throws {
    let fixture = try fixture(store)
    let context = try fixture.context()
    context.insert(Chair(1, in: Room("red"), colour: "old"))
    try context.save()
    context.insert(Chair(1, in: Room("red"), colour: "new"))
    #expect(try context.all(Chair.self).map(\.colour) == ["new"])
    let before = try MergingQuestion.answers(in: context)
    try context.save()
    #expect(try MergingQuestion.answers(in: context) == before)
  }

  @Test(arguments: EveryStore.withServerAndTextKeys, UInt64(1)...8)
  func `give the same results before and after the save`(store: EveryStore, seed: UInt64) throws {
    let fixture = try fixture(store)
    let context = try fixture.context()
    var random = MergingChanges(seed: seed)
    for _ in 0..<12 {
      for _ in 0..<Int.random(in: 1...6, using: &random.generator) {
        try random.change(context)
      }
      let before = try MergingQuestion.answers(in: context)
      do {
        try context.save()
      } catch let error as DataStoreError where error == .uniqueConflict {
        context.rollback()
        random.log.append("rollback")
        continue
      }
      random.log.append("save")
      let after = try MergingQuestion.answers(in: context)
      let apart = try MergingQuestion.answers(in: ModelContext(context.container))
      let difference = zip(before, after).filter { $0 != $1 }
      try #require(difference.isEmpty, "seed \(seed): \(difference), \(random.log.suffix(20))")
      try #require(after == apart, "seed \(seed): \(random.log.suffix(20))")
    }
    try StoredReferences.check(context.container)
  }
}

/// Random changes of objects with unique values.
private struct MergingChanges {
  var generator: SeededGenerator
  var log: [String] = []
  private var count = 0

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  private mutating func pick<T: PersistentModel>(
    _ type: T.Type,
    _ context: ModelContext
  ) throws -> T? {
    let all = try context.all(type)
    return all.isEmpty || Int.random(in: 0..<4, using: &generator) == 0 ? nil : generator.pick(all)
  }

  mutating func change(_ context: ModelContext) throws {
    let artist = try pick(Artist.self, context)
    let name = generator.pick(["a", "b", "c"])
    count += 1
    switch Int.random(in: 0..<14, using: &generator) {
    case 0, 1, 2:
      let new = Artist(name, rating: Int.random(in: 0..<9, using: &generator))
      if Bool.random(using: &generator) { new.works = [Work("n\(count)")] }
      if Bool.random(using: &generator) { new.genres = [Genre(generator.pick(["a", "b"]))] }
      if Bool.random(using: &generator) { new.studio = Studio("s\(count)") }
      if let artist { new.idols = [artist] }
      context.insert(new)
      log.append("insert artist \(name) \(new.works.count) \(new.genres.count)")
    case 3:
      let new = Genre(name)
      if let artist { new.artists = [artist] }
      context.insert(new)
      log.append("insert genre \(name) of \(artist?.name ?? "")")
    case 4:
      let new = Work("o\(count)")
      new.artist = artist
      context.insert(new)
      log.append("insert work of \(artist?.name ?? "")")
    case 5, 6:
      let room = try pick(Room.self, context) ?? Room(generator.pick(["red", "blue"]))
      let number = Int.random(in: 1...2, using: &generator)
      context.insert(Chair(number, in: room, colour: "c\(count)"))
      log.append("insert chair \(room.name) \(number)")
    case 7:
      let studio = try pick(Studio.self, context)
      studio?.artist = artist
      log.append("move studio \(studio?.place ?? "") to \(artist?.name ?? "")")
    case 8:
      let work = try pick(Work.self, context)
      work?.artist = artist
      log.append("move work \(work?.title ?? "") to \(artist?.name ?? "")")
    case 9:
      let genre = try pick(Genre.self, context)
      if let genre { artist?.genres.append(genre) }
      log.append("\(artist?.name ?? "") joins \(genre?.word ?? "")")
    case 10:
      if let artist { context.delete(artist) }
      log.append("delete artist \(artist?.name ?? "")")
    case 11:
      if let genre = try pick(Genre.self, context) { context.delete(genre) }
      log.append("delete a genre")
    case 12:
      artist?.name = name
      log.append("rename to \(name)")
    default:
      artist?.rating += 3
      log.append("rate \(artist?.name ?? "")")
    }
  }
}
