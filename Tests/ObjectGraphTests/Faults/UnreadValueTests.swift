import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A relationship that is set after it failed to load")
struct UnreadValueTests {
  private static let failure = DataStoreError(.storeBusy, "a test says so")

  private func makeFixture(_ store: EveryStore) throws -> WatchedFixture {
    let fixture = try WatchedFixture(store, for: Canvas.self, Gallery.self)
    let context = fixture.context()
    let gallery = Gallery("a")
    gallery.canvases = [Canvas("1"), Canvas("2")]
    context.insert(gallery)
    try context.save()
    return fixture
  }

  private func count(_ fixture: WatchedFixture) throws -> Int? {
    try fixture.context().fetch(FetchDescriptor<Gallery>()).first?.canvases.count
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is not saved until it is rolled back`(store: EveryStore) throws {
    let fixture = try makeFixture(store)
    let context = fixture.context()
    let gallery = try #require(try context.fetch(FetchDescriptor<Gallery>()).first)
    fixture.log.fail(with: Self.failure)
    gallery.canvases = gallery.canvases.reversed()
    for _ in 0..<3 {
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    }
    #expect(try count(fixture) == 2)
    context.rollback()
    gallery.canvases = gallery.canvases.reversed()
    try context.save()
    #expect(try count(fixture) == 2)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `can be set once the failure was reported`(store: EveryStore) throws {
    let fixture = try makeFixture(store)
    let context = fixture.context()
    let gallery = try #require(try context.fetch(FetchDescriptor<Gallery>()).first)
    fixture.log.fail(with: Self.failure)
    #expect(gallery.canvases.isEmpty)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    gallery.canvases = Array(gallery.canvases.dropLast())
    try context.save()
    #expect(try count(fixture) == 1)
  }
  @Test(arguments: EveryStore.withTextKeys)
  func `does not retain a context that the program releases`(store: EveryStore) throws {
    let fixture = try makeFixture(store)
    weak var object: Gallery?
    do {
      let context = fixture.context()
      let gallery = try #require(try context.fetch(FetchDescriptor<Gallery>()).first)
      object = gallery
      fixture.log.fail(with: Self.failure)
      #expect(gallery.canvases.isEmpty)
    }
    #expect(object == nil)
  }
}
