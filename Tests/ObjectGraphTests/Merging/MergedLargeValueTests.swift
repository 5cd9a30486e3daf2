import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Merge policies and large values")
struct MergedLargeValueTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `compare externally stored values too`(
    _ store: EveryStore
  ) throws {
    let fixture = try ContainerFixture(store, for: StockPhoto.self)
    let container = try fixture.open()
    let (here, there) = (ModelContext(container), ModelContext(container))
    here.insert(StockPhoto(Data(repeating: 1, count: 300_000)))
    try here.save()
    here.mergePolicy = .error
    let mine = try #require(try here.all(StockPhoto.self).first)
    let theirs = try #require(try there.all(StockPhoto.self).first)
    theirs.data = Data(repeating: 2, count: 300_000)
    try there.save()
    mine.data = Data(repeating: 3, count: 300_000)
    let error = try #require(throws: DataStoreError.self) { try here.save() }
    let data = try #require(error.mergeConflicts.first?[\StockPhoto.data])
    #expect(data.mine?.first == 3 && data.theirs?.first == 2)
    try here.refresh(mine, mergeChanges: false)
    #expect(mine.data.first == 2 && mine.data.count == 300_000)
    mine.data = Data(repeating: 4, count: 300_000)
    try here.save()
    #expect(try ModelContext(container).all(StockPhoto.self).first?.data.first == 4)
  }
}

@Model
private final class StockPhoto {
  @Attribute(.externalStorage) var data: Data

  init(_ data: Data) {
    self.data = data
  }
}
