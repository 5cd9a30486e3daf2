import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A to-many relationship that is edited")
struct EditedListTests {
  private let fixtures = ContainerFixtures()

  /// Edits a list at random, mostly few objects at one place.
  private func edit(
    _ list: inout [Song],
    with pool: [Song],
    _ random: inout SeededGenerator
  ) {
    func place() -> Int { Int.random(in: 0...list.count, using: &random) }
    let songs = (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
      pool.randomElement(using: &random)
    }
    switch Int.random(in: 0..<7, using: &random) {
    case 0: list.append(contentsOf: songs)
    case 1: list.insert(contentsOf: songs, at: place())
    case 2:
      let (one, other) = (place(), place())
      list.replaceSubrange(min(one, other)..<min(max(one, other), min(one, other) + 3), with: songs)
    case 3: list.removeAll { song in songs.contains { $0 === song } }
    case 4 where list.count > 1: list.swapAt(0, list.count - 1)
    case 5: list.shuffle(using: &random)
    default: if !list.isEmpty { list.removeLast() }
    }
  }

  @Test func `has the saved objects after a rollback of appended ones`() throws {
    let container = try fixtures.open(.memory, for: Playlist.self, Song.self)
    let context = ModelContext(container)
    let list = Playlist("list")
    context.insert(list)
    list.own = (0..<20).map { Song("\($0)") }
    var saved = list.own
    try context.save()
    func check(_ change: () -> Void) {
      change()
      context.rollback()
      #expect(list.own.map(\.title) == saved.map(\.title))
    }
    for _ in 0..<2 {
      check {
        list.own.append(Song("one"))
        list.own += [Song("two"), Song("three")]
      }
      check {
        list.own.append(Song("one"))
        list.own.removeFirst()
        list.own.append(Song("two"))
      }
      check {
        list.own.append(Song("one"))
        list.own = []
      }
      check {
        list.own.append(Song("one"))
        saved[3].home = nil
        #expect(list.own.count == saved.count)
      }
      list.own.append(Song("saved"))
      saved = list.own
      try context.save()
    }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Playlist>()).first?.own.count == 22)
  }

  /// The objects in the order of their first occurrences.
  private func distinct(_ songs: [Song]) -> [Song] {
    var seen: Set<ObjectIdentifier> = []
    return songs.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  @Test(arguments: 0..<8)
  func `has the objects of the array, and each object refers to it`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let container = try fixtures.open(.memory, for: Playlist.self, Song.self)
    let context = ModelContext(container)
    let isRegistered = seed.isMultiple(of: 2)
    var pool = (0..<30).map { Song("\($0)") }
    let (list, other) = (Playlist("list"), Playlist("other"))
    if isRegistered { context.insert(list) }
    for round in 0..<200 {
      var songs = list.own
      edit(&songs, with: pool, &random)
      list.own = songs
      if round % 20 == 19, let song = list.own.first { other.own.append(song) }
      let expected = distinct(songs).filter { song in !other.own.contains { $0 === song } }
      #expect(list.own.map(\.title) == expected.map(\.title), "\(seed), \(round)")
      for song in pool {
        let isElement = expected.contains { $0 === song }
        #expect((song.home === list) == isElement, "\(seed), \(round), \(song.title)")
      }
      if isRegistered, round % 30 == 29, let song = list.own.randomElement(using: &random) {
        context.delete(song)
        pool.removeAll { $0 === song }
        if round % 60 == 59 { try context.save() }
      }
    }
    context.insert(list)
    try context.save()
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<Playlist>(predicate: #Predicate { $0.name == "list" })
    )
    #expect(stored.first?.own.map(\.title) == list.own.map(\.title))
  }
}
