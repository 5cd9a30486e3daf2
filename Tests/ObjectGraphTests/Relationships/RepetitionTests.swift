import OpenSwiftData
import StoreTestSupport
import Testing

@Model
final class Playlist {
  var name: String
  @Relationship(inverse: nil) var songs: [Song] = []
  @Relationship(inverse: nil) var extras: [Song]?
  @Relationship(inverse: \Song.home) var own: [Song] = []

  init(_ name: String, songs: [Song] = []) {
    self.name = name
    self.songs = songs
  }
}

@Model
final class Song {
  var title: String
  var home: Playlist?

  init(_ title: String) { self.title = title }
}

@Suite("An object that is added to a relationship more than once")
struct RepetitionTests {
  private let fixtures = ContainerFixtures()

  private func expectSame(_ live: Playlist, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    let stored = try #require(try context.fetch(FetchDescriptor<Playlist>()).first)
    #expect(stored.songs.map(\.title) == live.songs.map(\.title))
    #expect(stored.extras?.map(\.title) ?? [] == live.extras?.map(\.title) ?? [])
    #expect(stored.own.map(\.title) == live.own.map(\.title))
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is an element once, at its first index, in memory and in the store`(
    store: EveryStore
  ) throws {
    let container = try fixtures.open(store, for: Playlist.self, Song.self)
    let context = ModelContext(container)
    let (a, b, c) = (Song("a"), Song("b"), Song("c"))
    let list = Playlist("list", songs: [b, a, b, b])
    context.insert(list)
    #expect(list.songs.map(\.title) == ["b", "a"])
    try context.save()
    #expect(list.songs.map(\.title) == ["b", "a"])
    try expectSame(list, container)
    list.songs = [c, c, a, c]
    list.extras = [a, a]
    list.own = [b, c, b]
    #expect(list.songs.map(\.title) == ["c", "a"])
    #expect(list.extras?.map(\.title) == ["a"])
    #expect(list.own.map(\.title) == ["b", "c"])
    try context.save()
    try expectSame(list, container)
    list.songs.append(a)
    list.songs.append(b)
    list.extras?.append(contentsOf: [a, b, b])
    #expect(list.songs.map(\.title) == ["c", "a", "b"])
    #expect(list.extras?.map(\.title) == ["a", "b"])
    try context.save()
    try expectSame(list, container)
  }

  @Test func `is an element once before the objects are in a context`() {
    let song = Song("a")
    let list = Playlist("list")
    list.songs = [song, song, song]
    list.own = [song, song]
    #expect(list.songs.count == 1)
    #expect(list.own.count == 1)
    #expect(song.home === list)
  }
}
