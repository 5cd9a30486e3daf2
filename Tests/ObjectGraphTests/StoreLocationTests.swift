import Foundation
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

  @Test(arguments: [EveryStore.sqlite, .json])
  func `can have a name with a leading dot, and is found through links`(store: EveryStore) throws {
    let folder = try TemporaryFolder()
    for (link, target) in [("link", ".hidden"), (".second", "link")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(link).path,
        withDestinationPath: target
      )
    }
    for (count, name) in [".hidden", "link", ".second"].enumerated() {
      let url = "\(store.rawValue):\(folder.file(name).path)"
      let context = ModelContext(try ModelContainer(for: Page.self, store: url))
      #expect(try context.fetchCount(FetchDescriptor<Page>()) == count)
      context.insert(Page(name))
      try context.save()
    }
    let links = try folder.names().filter { $0.hasPrefix("link") || $0.hasPrefix(".second") }
    #expect(links == [".second", "link"])
  }
}

@Model
private final class Page {
  var title: String

  init(_ title: String) {
    self.title = title
  }
}
