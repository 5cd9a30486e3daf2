import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A property that was set after it could not be loaded")
struct UnreadValueTests {
  private static let failure = DataStoreError(.storeBusy, "a test says so")

  private func place(_ store: EveryStore) throws -> WatchedPlace {
    let place = try WatchedPlace(store, for: Canvas.self, Gallery.self)
    let context = place.context()
    let gallery = Gallery("a")
    gallery.canvases = [Canvas("1"), Canvas("2")]
    context.insert(gallery)
    try context.save()
    return place
  }

  private func count(_ place: WatchedPlace) throws -> Int? {
    try place.context().fetch(FetchDescriptor<Gallery>()).first?.canvases.count
  }

  @Test(arguments: EveryStore.allCases)
  func `is not stored by any save until it is rolled back`(store: EveryStore) throws {
    let place = try place(store)
    let context = place.context()
    let gallery = try #require(try context.fetch(FetchDescriptor<Gallery>()).first)
    place.log.fail(with: Self.failure)
    gallery.canvases = gallery.canvases.reversed()
    for _ in 0..<3 {
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    }
    #expect(try count(place) == 2)
    context.rollback()
    gallery.canvases = gallery.canvases.reversed()
    try context.save()
    #expect(try count(place) == 2)
  }

  @Test(arguments: EveryStore.allCases)
  func `can be set when it was read again after the failure was told`(store: EveryStore) throws {
    let place = try place(store)
    let context = place.context()
    let gallery = try #require(try context.fetch(FetchDescriptor<Gallery>()).first)
    place.log.fail(with: Self.failure)
    #expect(gallery.canvases.isEmpty)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    gallery.canvases = Array(gallery.canvases.dropLast())
    try context.save()
    #expect(try count(place) == 1)
  }
  @Test(arguments: EveryStore.allCases)
  func `does not keep a context that the program lets go of`(store: EveryStore) throws {
    let place = try place(store)
    weak var object: Gallery?
    do {
      let context = place.context()
      let gallery = try #require(try context.fetch(FetchDescriptor<Gallery>()).first)
      object = gallery
      place.log.fail(with: Self.failure)
      #expect(gallery.canvases.isEmpty)
    }
    #expect(object == nil)
  }
}
