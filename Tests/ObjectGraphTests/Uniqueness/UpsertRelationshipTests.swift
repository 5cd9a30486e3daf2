import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("The relationships of an object that a new object updates")
struct UpsertRelationshipTests {
  private let fixtures = ContainerFixtures()

  /// Each store, and whether the stored object is registered in the saving context.
  private static let cases = EveryStore.withTextKeys.flatMap { store in
    [(store, true), (store, false)]
  }

  private func stored(
    _ store: EveryStore,
    _ isRegistered: Bool,
    _ change: (Artist) -> Void
  ) throws -> (ModelContainer, ModelContext, Artist?) {
    let container = try fixtures.open(store, for: Artist.self)
    let context = ModelContext(container)
    let artist = Artist("Ada")
    change(artist)
    context.insert(artist)
    try context.save()
    return isRegistered ? (container, context, artist) : (container, ModelContext(container), nil)
  }

  private func survivor(of new: Artist, in context: ModelContext) throws -> Artist {
    let found = try #require(try context.all(Artist.self).first { $0.name == new.name })
    #expect(found === new || new.modelContext == nil)
    #expect(found.persistentModelID == new.persistentModelID)
    return found
  }

  @Test(arguments: cases)
  func `contain the related objects of both if they are one-to-many`(
    store: EveryStore,
    isRegistered: Bool
  ) throws {
    let (container, context, old) = try stored(store, isRegistered) {
      $0.works = [Work("old")]
    }
    let new = Artist("Ada")
    let work = Work("new")
    new.works = [work]
    context.insert(new)
    try context.save()
    let survivor = old ?? new
    #expect(survivor.works.map(\.title) == ["old", "new"])
    #expect(work.artist === survivor)
    #expect(survivor.works.allSatisfy { $0.artist === survivor })
    try context.save()
    let fresh = try #require(try ModelContext(container).all(Artist.self).first)
    #expect(fresh.works.map(\.title) == ["old", "new"])
    try StoredReferences.check(container)
  }

  @Test(arguments: cases)
  func `contain the related objects of both without duplicates if they are many-to-many`(
    store: EveryStore,
    isRegistered: Bool
  ) throws {
    let (container, context, _) = try stored(store, isRegistered) {
      $0.genres = [Genre("a"), Genre("b")]
      $0.idols = [Artist("x")]
    }
    let genres = try context.all(Genre.self)
    let new = Artist("Ada")
    new.genres = [genres[1], Genre("c")]
    new.idols = [Artist("y")]
    context.insert(new)
    try context.save()
    let survivor = try survivor(of: new, in: context)
    #expect(survivor.genres.map(\.word) == ["a", "b", "c"])
    for genre in survivor.genres { #expect(genre.artists.map(\.name) == ["Ada"]) }
    for genre in survivor.genres { #expect(genre.artists.first === survivor) }
    #expect(survivor.idols.map(\.name) == ["x", "y"])
    let fresh = try #require(try ModelContext(container).all(Artist.self).first)
    #expect(fresh.genres.map(\.word) == ["a", "b", "c"])
    try StoredReferences.check(container)
  }

  @Test(arguments: cases)
  func `are those of the new object if they are one-to-one`(
    store: EveryStore,
    isRegistered: Bool
  ) throws {
    let (container, context, _) = try stored(store, isRegistered) {
      $0.studio = Studio("old")
    }
    let former = try #require(try context.all(Studio.self).first)
    _ = former.artist
    let new = Artist("Ada")
    let studio = Studio("new")
    new.studio = studio
    context.insert(new)
    try context.save()
    let survivor = try survivor(of: new, in: context)
    #expect(survivor.studio === studio)
    #expect(studio.artist === survivor)
    #expect(former.artist == nil)
    #expect(try ModelContext(container).all(Studio.self).map { $0.artist?.name } == [nil, "Ada"])
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `combine those of three new objects in one save`(store: EveryStore) throws {
    let container = try fixtures.open(store, for: Artist.self)
    let context = ModelContext(container)
    let artists = (0..<3).map { Artist("Ada", rating: $0) }
    let genre = Genre("g")
    for (number, artist) in artists.enumerated() {
      artist.works = [Work("w\(number)")]
      artist.genres = [genre, Genre("g\(number)")]
      artist.studio = Studio("s\(number)")
      context.insert(artist)
    }
    #expect(genre.artists.count == 3)
    try context.save()
    #expect(artists[0].works.map(\.title).sorted() == ["w0", "w1", "w2"])
    #expect(artists[0].genres.map(\.word).sorted() == ["g", "g0", "g1", "g2"])
    #expect(artists[0].studio?.place == "s2")
    #expect(genre.artists.count == 1)
    #expect(genre.artists.first === artists[0])
    let studios = try context.all(Studio.self)
    #expect(studios.map { $0.artist?.name } == [nil, nil, "Ada"])
    try StoredReferences.check(container)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `refer to the remaining object if a related object is merged`(store: EveryStore) throws {
    let (container, context, old) = try stored(store, true) { _ in }
    let genre = Genre("g")
    context.insert(genre)
    try context.save()
    let again = Genre("g")
    let (ada, bob) = (Artist("Ada"), Artist("Bob"))
    ada.genres = [again]
    bob.genres = [again]
    bob.idols = [ada]
    context.insert(bob)
    context.insert(ada)
    try context.save()
    let survivor = try #require(old)
    #expect(bob.idols.first === survivor)
    #expect(bob.genres.first === genre)
    #expect(survivor.genres.first === genre)
    #expect(Set(genre.artists.map(\.name)) == ["Ada", "Bob"])
    bob.rating = 4
    survivor.rating = 5
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Artist>()) == 2)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Genre>()) == 1)
    try StoredReferences.check(container)
  }
}
