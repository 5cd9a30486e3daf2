import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("A reopened store")
struct StoreLocationTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `returns what was saved`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Page.self)
    try {
      let context = try fixture.context()
      context.insert(Page("one"))
      try context.save()
    }()
    #expect(try fixture.context().all(Page.self).map(\.title) == ["one"])
  }
}

@Model
private final class Page {
  var title: String

  init(_ title: String) {
    self.title = title
  }
}
