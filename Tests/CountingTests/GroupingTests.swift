import Foundation
import OpenSwiftData
import StoreFiles
import StoreTestSupport
import Testing

@testable import JSONFileStore

@Model private final class Album {
  // In a separate file, so that each read is a system call.
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

  /// Counts the system calls of grouping all pages by the covers of their albums.
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

  // The reads of a related object do not depend on the number of rows that refer to it, so the cost
  // is linear.
  @Test func `read each related object equally often for many rows and for few`() throws {
    let few = try calls(pages: 5)
    #expect(few > Self.albums)
    #expect(try calls(pages: 40) == few)
  }
}
