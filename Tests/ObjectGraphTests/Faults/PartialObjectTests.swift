import Foundation
import Observation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@Suite("A fetch of some properties")
struct PartialObjectTests {
  private static let count = 1_200

  private static func makeFixture(_ store: EveryStore) throws -> WatchedFixture {
    try WatchedFixture(
      store,
      leavesOut: true,
      for: Canvas.self,
      Fresco.self,
      Gallery.self
    )
  }

  private static func filled(_ store: EveryStore) throws -> WatchedFixture {
    let fixture = try makeFixture(store)
    let context = fixture.context()
    let gallery = Gallery("g")
    for number in 0..<count {
      let canvas =
        number % 2 == 0 ? Canvas("\(number)") : Fresco("\(number)", by: "painter \(number)")
      canvas.views = number
      canvas.rating = Double(number) / 2
      canvas.mood = .wild
      canvas.size = CanvasSize(width: number, height: 3)
      canvas.words = ["w\(number)"]
      canvas.pixels = Data([1, 2, UInt8(number % 256)])
      canvas.gallery = gallery
      context.insert(canvas)
    }
    try context.save()
    return fixture
  }

  private static func titles(
    _ predicate: Predicate<Canvas>? = nil
  ) -> FetchDescriptor<Canvas> {
    var descriptor = FetchDescriptor<Canvas>(predicate: predicate)
    descriptor.propertiesToFetch = [\.title]
    return descriptor
  }

  private static func check(_ canvas: Canvas) {
    let number = Int(canvas.title) ?? -1
    #expect(canvas.views == number)
    #expect(canvas.rating == Double(number) / 2)
    #expect(canvas.mood == .wild)
    #expect(canvas.size == CanvasSize(width: number, height: 3))
    #expect(canvas.words == ["w\(number)"])
    if let fresco = canvas as? Fresco { #expect(fresco.painter == "painter \(number)") }
  }

  @Test(arguments: EveryStore.allCases)
  func `loads the other properties on access, for many objects at once`(
    store: EveryStore
  ) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    var canvases: [Canvas] = []
    let calls = try fixture.calls { canvases = try context.fetch(Self.titles()) }
    #expect(calls == ["read"])
    #expect(fixture.log.queries.first?.properties == ["title"])
    fixture.expect([]) { for canvas in canvases { #expect(!canvas.title.isEmpty) } }
    // Two models, each in two pages.
    fixture.expect(count: 4) { for canvas in canvases { Self.check(canvas) } }
    #expect(context.faultCount == 4)
    fixture.expect([]) { for canvas in canvases { Self.check(canvas) } }
    fixture.expect(["read"]) { for canvas in canvases { #expect(canvas.gallery != nil) } }
    #expect(!context.hasChanges)
  }

  @Test(arguments: EveryStore.allCases)
  func `loads values that are stored outside of the row one by one`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let canvases = try context.fetch(FetchDescriptor<Canvas>(sortBy: [SortDescriptor(\.views)]))
    fixture.expect([]) { for canvas in canvases { Self.check(canvas) } }
    let calls = fixture.calls { #expect(canvases[3].pixels == Data([1, 2, 3])) }
    #expect(calls == ["read"])
    #expect(fixture.log.queries.first?.properties == ["pixels"])
    fixture.expect([]) { #expect(canvases[3].pixels?.count == 3) }
    fixture.expect(count: 1) { #expect(canvases[4].pixels == Data([1, 2, 4])) }
    var named = FetchDescriptor<Canvas>()
    named.propertiesToFetch = [\.pixels]
    let fresh = try fixture.context().fetch(named)
    fixture.expect([]) { for canvas in fresh { #expect(canvas.pixels?.count == 3) } }
  }

  @Test(arguments: EveryStore.allCases)
  func `keeps and rolls back values that were set before they were loaded`(store: EveryStore) throws
  {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let canvas = try #require(try context.fetch(Self.titles(#Predicate { $0.views == 9 })).first)
    canvas.rating = 100
    #expect(context.hasChanges)
    #expect(canvas.views == 9)
    #expect(canvas.rating == 100)
    _ = try context.fetch(FetchDescriptor<Canvas>())
    #expect(canvas.rating == 100)
    context.rollback()
    #expect(!context.hasChanges)
    Self.check(canvas)
    canvas.mood = .calm
    canvas.pixels = nil
    context.rollback()
    Self.check(canvas)
    #expect(canvas.pixels == Data([1, 2, 9]))
  }

  @Test(arguments: EveryStore.allCases)
  func `saves only what was changed`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let canvas = try #require(try context.fetch(Self.titles(#Predicate { $0.views == 9 })).first)
    canvas.views = 10_000
    fixture.log.clear()
    try context.save()
    let update = try #require(fixture.log.changes.first?.updated.first)
    #expect(update.changes == [StoreUpdate.Change(1, .integer(10_000))])
    let fresh = fixture.context()
    let stored = try fresh.fetch(FetchDescriptor<Canvas>(predicate: #Predicate { $0.title == "9" }))
    #expect(stored.first?.views == 10_000)
    #expect(stored.first?.words == ["w9"])
    #expect(stored.first?.pixels == Data([1, 2, 9]))
  }

  @Test(arguments: EveryStore.allCases)
  func `is completed by a fetch of all properties`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let canvases = try context.fetch(Self.titles())
    _ = try context.fetch(FetchDescriptor<Canvas>())
    fixture.expect([]) { for canvas in canvases { Self.check(canvas) } }
  }

  @Test(arguments: EveryStore.allCases)
  func `shows later saves of other contexts`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let nine = Self.titles(#Predicate { $0.title == "9" })
    let canvas = try #require(try context.fetch(nine).first)
    Self.check(canvas)
    #expect(canvas.pixels == Data([1, 2, 9]))
    let other = fixture.context()
    let same = try #require(try other.fetch(nine).first)
    same.views = 77
    same.pixels = Data([9])
    try other.save()
    _ = try context.fetch(nine)
    #expect(canvas.views == 77)
    #expect(canvas.pixels == Data([9]))
    same.pixels = nil
    try other.save()
    _ = try context.fetch(FetchDescriptor<Canvas>())
    #expect(canvas.pixels == nil)
  }

  @Test(arguments: EveryStore.allCases)
  func `filters and sorts by properties that are not loaded`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    var descriptor = Self.titles(#Predicate { $0.views < 5 && $0.rating != nil })
    descriptor.sortBy = [SortDescriptor(\.views, order: .reverse)]
    #expect(try context.fetch(descriptor).map(\.title) == ["4", "3", "2", "1", "0"])
    let added = Canvas("new")
    added.views = 3
    added.rating = 1
    context.insert(added)
    #expect(try context.fetch(descriptor).map(\.title) == ["4", "3", "new", "2", "1", "0"])
    descriptor.predicate = #Predicate { $0.views < 3 && $0.gallery?.name == "g" }
    let galleries = try context.fetch(FetchDescriptor<Gallery>())
    galleries.first?.name = "h"
    #expect(try context.fetch(descriptor).isEmpty)
    galleries.first?.name = "g"
    let before = context.faultCount
    #expect(try context.fetch(descriptor).map(\.title) == ["2", "1", "0"])
    #expect(context.faultCount - before <= 1)
  }

  @Test(arguments: EveryStore.allCases)
  func `returns initial values for an object whose row is deleted`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let canvases = try context.fetch(Self.titles(#Predicate { $0.views < 4 }))
    let other = fixture.context()
    try other.delete(model: Canvas.self, where: #Predicate { $0.views < 3 })
    try other.save()
    let gone = try #require(canvases.first { $0.title == "0" })
    #expect(!gone.isDeleted)
    #expect(gone.views == 7)
    #expect(gone.isDeleted)
    #expect(gone.modelContext == nil)
    #expect(gone.title == "0")
    #expect(gone.rating == nil)
    #expect(gone.mood == .calm)
    #expect(gone.size == CanvasSize(width: 0, height: 0))
    #expect(gone.words.isEmpty)
    #expect(gone.pixels == nil)
    let kept = try #require(canvases.first { $0.title == "3" })
    Self.check(kept)
    #expect(kept.modelContext === context)
    try context.save()
  }

  @Test(arguments: EveryStore.allCases)
  func `returns a placeholder if the store fails, and the value later`(
    store: EveryStore
  ) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let canvas = try #require(try context.fetch(Self.titles(#Predicate { $0.views == 9 })).first)
    fixture.log.fail(with: DataStoreError(.storeBusy, "a test says so"))
    #expect(canvas.mood == .calm)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    Self.check(canvas)
    try context.save()
    let next = try #require(try context.fetch(Self.titles(#Predicate { $0.views == 11 })).first)
    fixture.log.fail(with: DataStoreError(.storeBusy, "a test says so"))
    next.words = ["set"]
    context.rollback()
    Self.check(next)
  }

  @Test(arguments: EveryStore.allCases)
  func `notifies observers of changes, not of loading`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let canvas = try #require(try context.fetch(Self.titles(#Predicate { $0.views == 9 })).first)
    let changes = Mutex(0)
    let views = withObservationTracking {
      canvas.views
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    #expect(views == 9)
    _ = try context.fetch(FetchDescriptor<Canvas>())
    #expect(canvas.rating == 4.5)
    #expect(changes.withLock { $0 } == 0)
    canvas.views = 8
    #expect(changes.withLock { $0 } == 1)
  }

  @Test(arguments: EveryStore.allCases)
  func `supports batches and values by key path`(store: EveryStore) throws {
    let fixture = try Self.filled(store)
    let context = fixture.context()
    let canvases = try context.fetch(Self.titles(), batchSize: 100)
    fixture.log.clear()
    let first = canvases[0]
    #expect(fixture.log.queries.map(\.properties) == [["title"]])
    #expect(first.getValue(forKey: \.views) == Int(first.title))
    let fresh = fixture.context()
    let other = try #require(try fresh.fetch(Self.titles()).first)
    let stored = try other.persistentBackingData.record()
    #expect(stored.values[1] == .integer(Int64(other.title) ?? -1))
    #expect(stored.values[5] == .array([.string("w\(other.title)")]))
  }
}
