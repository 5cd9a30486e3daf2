import Foundation
import OpenSwiftData
import StoreFiles
import StoreTestSupport
import Testing

@testable import JSONFileStore

@Model private final class Album {
  // In a file of its own, so that each look at it is a call of the system.
  @Attribute(.externalStorage) var cover: Data
  @Relationship(inverse: \Page.album) var pages: [Page] = []

  init(_ number: Int, pages count: Int) {
    cover = Data(repeating: UInt8(number), count: 100)
    pages = (0..<count).map { Page($0) }
  }
}

@Model private final class Page {
  var number: Int
  var album: Album?

  init(_ number: Int) { self.number = number }
}

@Suite("Groups of a JSON store by a value of a related object")
struct GroupingTests {
  private static let albums = 10

  /// The calls of the system for groups of all pages by the covers of their albums.
  private func calls(pages: Int) throws -> Int {
    let folder = try TemporaryFolder()
    let access = FaultyFileAccess()
    var configuration = JSONFileStoreConfiguration(url: folder.file("store.json"))
    configuration.externalStorageThreshold = 10
    configuration.access = access
    let container = try ModelContainer(for: Album.self, configurations: configuration)
    let context = ModelContext(container)
    for number in 0..<Self.albums { context.insert(Album(number, pages: pages)) }
    try context.save()
    access.reset()
    let groups = try ModelContext(container).fetch(
      FetchDescriptor<Page>(),
      groupedBy: \.album?.cover,
      aggregates: .count,
      .sum(\.number)
    )
    #expect(groups.count == Self.albums && groups.allSatisfy { $0.values.0 == pages })
    return access.calls.count
  }

  // Each related object is looked at as often as there are groups to tell, whatever refers to it: what
  // is done for a row costs the same, so that all of it is linear.
  @Test func `look at each related object as often for many rows as for few`() throws {
    let few = try calls(pages: 5)
    #expect(few > Self.albums)
    #expect(try calls(pages: 40) == few)
  }
}
