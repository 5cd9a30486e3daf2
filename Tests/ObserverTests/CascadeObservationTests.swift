import Foundation
import Observation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import ModelLayer

/// Observers of a relationship are notified when its object is deleted, for whatever reason, and
/// observers of a list when it may have changed elsewhere.
@Suite("Observed relationships to deleted objects", .timeLimit(.minutes(30)))
struct CascadeObservationTests {
  private struct House {
    let context: ModelContext
    let house = Villa("h")
    let room = VillaRoom("r")
    let lamp = VillaLamp("l")
    let guide = VillaGuide("g")

    init(_ store: EveryStore, _ folder: TemporaryFolder) throws {
      let container = try ModelContainer(
        for: Villa.self,
        VillaRoom.self,
        VillaLamp.self,
        VillaGuide.self,
        store: store.url(in: folder)
      )
      context = ModelContext(container, isolation: nil)
      context.insert(house)
      house.rooms = [room]
      lamp.room = room
      guide.room = room
      guide.rooms = [room]
      context.insert(lamp)
      context.insert(guide)
      try context.save()
    }
  }

  @Test(arguments: EveryStore.withServer)
  func `notify if a cascade deletes the object`(_ store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let house = try House(store, folder)
    let counts = (0..<5).map { _ in ChangeCount() }
    counts[0].observe { _ = house.lamp.room }
    counts[1].observe { _ = house.guide.room }
    counts[2].observe { _ = house.guide.rooms }
    counts[3].observe { _ = house.room.villa }
    counts[4].observe { _ = house.house.rooms }
    house.context.delete(house.house)
    try house.context.save()
    #expect(counts.map(\.value) == [1, 1, 1, 1, 1])
    #expect(house.lamp.room == nil && house.guide.room == nil && house.guide.rooms.isEmpty)
    #expect(house.room.villa == nil && house.house.rooms.isEmpty)
  }

  @Test(arguments: EveryStore.withServer)
  func `notify if the program deletes the object`(_ store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let house = try House(store, folder)
    let counts = (0..<4).map { _ in ChangeCount() }
    counts[0].observe { _ = house.lamp.room }
    counts[1].observe { _ = house.guide.room }
    counts[2].observe { _ = house.guide.rooms }
    counts[3].observe { _ = house.house.rooms }
    house.context.delete(house.room)
    try house.context.save()
    #expect(counts.map(\.value) == [1, 1, 1, 1])
    counts[0].observe { _ = house.lamp.room }
    house.context.insert(Villa("other"))
    try house.context.save()
    #expect(counts[0].value == 1)
  }

  @Test(arguments: EveryStore.withServer)
  func `notify if another context deletes the object or changes a list`(
    _ store: EveryStore
  ) throws {
    let folder = try TemporaryFolder()
    let house = try House(store, folder)
    let counts = (0..<2).map { _ in ChangeCount() }
    counts[0].observe { _ = house.guide.rooms }
    counts[1].observe { _ = house.house.rooms }
    let other = ModelContext(house.context.container, isolation: nil)
    for room in try other.fetch(FetchDescriptor<VillaRoom>()) { other.delete(room) }
    try other.save()
    _ = try house.context.fetch(FetchDescriptor<Villa>())
    #expect(counts.map(\.value) == [1, 1])
    #expect(house.guide.rooms.isEmpty && house.house.rooms.isEmpty)
  }

  @Test(arguments: EveryStore.withServer)
  func `notify if a new object merges into that of a list`(_ store: EveryStore) throws {
    let folder = try TemporaryFolder()
    let house = try House(store, folder)
    let count = ChangeCount()
    count.observe { _ = house.house.rooms }
    let same = Villa("h")
    house.context.insert(same)
    same.rooms = [VillaRoom("other")]
    try house.context.save()
    #expect(count.value == 1)
    #expect(house.house.rooms.contains { $0.name == "other" })
  }
}

@Model
private final class Villa {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \VillaRoom.villa) var rooms: [VillaRoom] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
private final class VillaRoom {
  var name: String
  var villa: Villa?
  @Relationship(inverse: \VillaLamp.room) var lamps: [VillaLamp] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
private final class VillaLamp {
  var name: String
  var room: VillaRoom?

  init(_ name: String) {
    self.name = name
  }
}

/// Refers to rooms that do not know it.
@Model
private final class VillaGuide {
  var name: String
  @Relationship(inverse: nil) var room: VillaRoom?
  @Relationship(inverse: nil) var rooms: [VillaRoom] = []

  init(_ name: String) {
    self.name = name
  }
}
