import OpenSwiftData
import StoreTestSupport
import Testing

/// A save knows by its number that others have saved before it.
///
/// The context applies that without another look at the store.
@Suite struct `A save after saves of another container` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func context() throws -> ModelContext {
    let configuration = SQLiteStoreConfiguration(url: folder.file("store.db"))
    return ModelContext(try ModelContainer(for: FarmSite.schema, configurations: configuration))
  }

  @Test func `unloads lists and outdates objects`() throws {
    let here = try context()
    let there = try context()
    let farmer = Farmer("Ada")
    here.insert(farmer)
    try here.save()
    #expect(farmer.animals.isEmpty && farmer.age == 0)

    let theirs = try #require(try there.all(Farmer.self).first)
    let animal = Animal(2)
    there.insert(animal)
    animal.farmer = theirs
    theirs.age = 7
    try there.save()

    here.insert(Farmer("Bo"))
    try here.save()
    #expect(farmer.animals.map(\.weight) == [2])
    #expect(farmer.age == 7)
  }
}
