import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("External storage of a model's values")
struct ExternalStorageTests {
  private static let large = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

  private func valueFiles(_ fixture: ContainerFixture) -> [String] {
    let folders = ["store.db.files", "store.json.files"].map { fixture.folder.file($0).path }
    return folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
  }

  private func fill(_ fixture: ContainerFixture) throws {
    let context = try fixture.context()
    context.insert(Portrait("none", nil))
    context.insert(Portrait("small", Data([1, 2, 3])))
    context.insert(Portrait("large", Self.large))
    try context.save()
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `keeps large values through changes and deletions`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Portrait.self)
    try fill(fixture)
    #expect(valueFiles(fixture).count == (store.persists ? 1 : 0))
    try {
      let context = try fixture.context()
      let portraits = try context.all(Portrait.self)
      #expect(portraits.map(\.image) == [nil, Data([1, 2, 3]), Self.large])
      portraits[0].image = Self.large + [9]
      portraits[2].name = "renamed"
      try context.save()
      #expect(valueFiles(fixture).count == (store.persists ? 2 : 0))
      context.delete(portraits[2])
      try context.save()
    }()
    #expect(valueFiles(fixture).count == (store.persists ? 1 : 0))
    let images = try fixture.context().all(Portrait.self).map(\.image)
    #expect(images == [Self.large + [9], Data([1, 2, 3])])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `evaluates predicates as if values were in their rows`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Portrait.self)
    try fill(fixture)
    let context = try fixture.context()
    let large: Data? = Self.large
    let equal = FetchDescriptor<Portrait>(predicate: #Predicate { $0.image == large })
    #expect(try context.fetch(equal).map(\.name) == ["large"])
    let absent = FetchDescriptor<Portrait>(predicate: #Predicate { $0.image == nil })
    #expect(try context.fetch(absent).map(\.name) == ["none"])
    let other = FetchDescriptor<Portrait>(predicate: #Predicate { $0.image != large })
    #expect(try context.fetchCount(other) == 2)
  }

  @Test(arguments: EveryStore.withTextKeys, EveryStore.withTextKeys)
  func `is copied between stores`(from: EveryStore, to: EveryStore) throws {
    let source = try ContainerFixture(from, for: Portrait.self)
    try fill(source)
    let target = try ContainerFixture(to, for: Portrait.self)
    try source.open().copy(to: target.open())
    let images = try target.context().all(Portrait.self).map(\.image)
    #expect(images == [nil, Data([1, 2, 3]), Self.large])
    #expect(valueFiles(target).count == (to.persists ? 1 : 0))
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `leaves no files after a deletion or a rollback`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Portrait.self)
    try fill(fixture)
    let context = try fixture.context()
    context.insert(Portrait("dropped", Self.large))
    context.rollback()
    #expect(valueFiles(fixture).count == (store.persists ? 1 : 0))
    try context.delete(model: Portrait.self)
    try context.save()
    #expect(valueFiles(fixture) == [])
    #expect(try fixture.context().all(Portrait.self).isEmpty)
  }
}

@Model
private final class Portrait {
  var name: String
  @Attribute(.externalStorage) var image: Data?

  init(_ name: String, _ image: Data?) {
    self.name = name
    self.image = image
  }
}
