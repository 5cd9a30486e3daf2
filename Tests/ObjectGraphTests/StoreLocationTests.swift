import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A reopened store")
struct StoreLocationTests {
  @Test(arguments: EveryStore.allCases)
  func `returns what was saved`(store: EveryStore) throws {
    let place = try StorePlace(store, for: Page.self)
    try {
      let context = try place.context()
      context.insert(Page("one"))
      try context.save()
    }()
    #expect(try place.context().all(Page.self).map(\.title) == ["one"])
  }
}

@Model
private final class Page {
  var title: String

  init(_ title: String) {
    self.title = title
  }
}
