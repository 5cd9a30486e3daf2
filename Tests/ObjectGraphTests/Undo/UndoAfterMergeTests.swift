import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

@MainActor
@Suite("Undo after merges and refreshes")
struct UndoAfterMergeTests {
  private func artists(_ store: EveryStore) throws -> ContainerFixture {
    try ContainerFixture(store, for: Artist.self, Work.self, Genre.self, Studio.self)
  }

  /// Each store, whether the change is fetched before it is dropped, and whether it is read after.
  private nonisolated static let refreshes = EveryStore.withServerAndTextKeys.flatMap { store in
    [(store, false, false), (store, true, false), (store, false, true), (store, true, true)]
  }

  @Test(arguments: refreshes)
  func `leaves both ends of a refreshed relationship equal`(
    kind: EveryStore,
    isFetched: Bool,
    isRead: Bool
  ) throws {
    let fixture = try ContainerFixture.office(kind)
    let (context, manager) = try fixture.undoableContext()
    let clerk = OfficeClerk(1)
    let skill = OfficeSkill(1)
    context.insert(clerk)
    clerk.skills = [skill]
    try context.save()
    clerk.skills = []
    if isFetched { _ = try context.all(OfficeClerk.self) }
    try context.refresh(clerk, mergeChanges: false)
    #expect(!manager.canUndo)
    if isRead { _ = clerk.skills }
    clerk.age = 1
    manager.undo()
    #expect(clerk.age == nil)
    try context.save()
    let fresh = try ModelContext(context.container).all(OfficeClerk.self)
    #expect(fresh.first?.skills.map(\.number) == [1])
    #expect(clerk.skills == [skill] && skill.clerks == [clerk])
    try StoredReferences.check(context.container)
  }

  /// Each store, and whether the stored object is registered in the saving context.
  private nonisolated static let merges = EveryStore.withServerAndTextKeys.flatMap {
    [($0, true), ($0, false)]
  }

  @Test(arguments: merges)
  func `restores the object that a new one has updated`(
    kind: EveryStore,
    isRegistered: Bool
  ) throws {
    let fixture = try artists(kind)
    let (writer, writerManager) = try fixture.undoableContext()
    let stored = Artist("Ada", note: "old", rating: 1)
    stored.genres = [Genre("a")]
    stored.works = [Work("one")]
    stored.studio = Studio("here")
    writer.insert(stored)
    try writer.save()
    let (context, manager) =
      isRegistered
      ? (writer, writerManager) : (ModelContext(writer.container), UndoManager())
    context.undoManager = manager
    let count = manager.undoCount
    let new = Artist("Ada", rating: 2)
    new.genres = [Genre("b")]
    new.works = [Work("two")]
    context.insert(new)
    try context.save()
    #expect(new.modelContext == (isRegistered ? nil : context))
    manager.undo()
    try context.save()
    let one = try #require(try ModelContext(context.container).all(Artist.self).first)
    #expect(one.note == "old" && one.rating == 1 && one.studio?.place == "here")
    #expect(one.genres.map(\.word) == ["a"] && one.works.map(\.title) == ["one"])
    #expect(try ModelContext(context.container).all(Work.self).map(\.title) == ["one"])
    try StoredReferences.check(context.container)
    #expect(manager.undoCount == count)
    manager.redo()
    try context.save()
    let two = try #require(try ModelContext(context.container).all(Artist.self).first)
    #expect(two.note == nil && two.rating == 2 && two.studio == nil)
    #expect(Set(two.genres.map(\.word)) == ["a", "b"])
    #expect(Set(two.works.map(\.title)) == ["one", "two"])
    try StoredReferences.check(context.container)
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `restores one after the other of several new objects with one unique value`(
    kind: EveryStore
  ) throws {
    let fixture = try artists(kind)
    let (context, manager) = try fixture.undoableContext()
    let stored = Artist("Ada", rating: 1)
    context.insert(stored)
    try context.save()
    let first = Artist("Ada", note: "first", rating: 2)
    context.insert(first)
    context.processPendingChanges()
    context.insert(Artist("Ada", note: "second", rating: 3))
    context.processPendingChanges()
    stored.rating = 9
    context.processPendingChanges()
    first.note = "changed"
    try context.save()
    #expect(stored.rating == 3 && stored.note == "second")
    manager.undo()
    manager.undo()
    #expect(stored.rating == 1)
    manager.undo()
    #expect(stored.rating == 2 && stored.note == "first")
    manager.undo()
    #expect(stored.rating == 1 && stored.note == nil)
    #expect(!stored.isDeleted)
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `restores the first of two new objects with one unique value`(kind: EveryStore) throws {
    let fixture = try artists(kind)
    let (context, manager) = try fixture.undoableContext()
    let first = Artist("Ada", note: "first", rating: 2)
    context.insert(first)
    context.processPendingChanges()
    context.insert(Artist("Ada", rating: 3))
    try context.save()
    #expect(first.rating == 3 && first.note == nil)
    manager.undo()
    #expect(first.rating == 2 && first.note == "first")
    manager.undo()
    #expect(first.isDeleted)
    try context.save()
    #expect(try ModelContext(context.container).all(Artist.self).isEmpty)
  }

  /// After any changes, merges, refreshes and undos, both ends of all relationships agree.
  @Test(arguments: EveryStore.withServerAndTextKeys, UInt64(1)...6)
  func `leaves both ends of all relationships equal after random changes`(
    kind: EveryStore,
    seed: UInt64
  ) throws {
    let fixture = try artists(kind)
    let (context, manager) = try fixture.undoableContext()
    var random = SeededGenerator(seed: seed)
    var log: [String] = []
    for _ in 0..<60 {
      log.append(try Self.step(context, manager, &random))
      let problems = try Self.disagreements(in: context)
      try #require(problems.isEmpty, "seed \(seed): \(problems), \(log.suffix(20))")
    }
    try context.save()
    try StoredReferences.check(context.container)
    #expect(try Self.disagreements(in: ModelContext(context.container)) == [])
  }

  private static func step(
    _ context: ModelContext,
    _ manager: UndoManager,
    _ random: inout SeededGenerator
  ) throws -> String {
    let artists = try context.all(Artist.self)
    let genres = try context.all(Genre.self)
    let name = random.pick(["a", "b", "c"])
    let artist = artists.isEmpty ? nil : random.pick(artists)
    let some = genres.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random))
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1:
      let new = Artist(name, rating: Int.random(in: 0..<9, using: &random))
      if Bool.random(using: &random) { new.genres = Array(some) }
      if Bool.random(using: &random) { new.works = [Work("w")] }
      context.insert(new)
      return "insert \(name)"
    case 2:
      let new = Genre(name)
      if let artist { new.artists = [artist] }
      context.insert(new)
      return "insert genre \(name)"
    case 3, 4:
      artist?.genres = Array(some)
      return "\(artist?.name ?? "").genres = \(some.map(\.word))"
    case 5:
      artist?.rating += 1
      return "\(artist?.name ?? "").rating"
    case 6:
      if let artist { context.delete(artist) }
      return "delete \(artist?.name ?? "")"
    case 7, 8:
      manager.undo()
      return "undo"
    case 9:
      manager.redo()
      return "redo"
    case 10:
      if let artist { try context.refresh(artist, mergeChanges: Bool.random(using: &random)) }
      return "refresh \(artist?.name ?? "")"
    default:
      do {
        try context.save()
        return "save"
      } catch let error as DataStoreError where error == .uniqueConflict {
        context.rollback()
        return "rollback"
      }
    }
  }

  private static func disagreements(in context: ModelContext) throws -> [String] {
    var found: [String] = []
    for artist in try context.all(Artist.self) {
      for genre in artist.genres where !genre.artists.contains(artist) {
        found.append("\(artist.name).genres has \(genre.word)")
      }
      for work in artist.works where work.artist != artist { found.append("\(artist.name).works") }
    }
    for genre in try context.all(Genre.self) {
      for artist in genre.artists where !artist.genres.contains(genre) {
        found.append("\(genre.word).artists has \(artist.name)")
      }
    }
    for work in try context.all(Work.self) {
      if let artist = work.artist, !artist.works.contains(work) { found.append("work.artist") }
    }
    return found
  }
}
