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

  /// Copies made from a live object have what is stored, whatever the object had read before.
  private func expectCopies(
    of portrait: Portrait,
    in context: ModelContext,
    of fixture: ContainerFixture
  ) throws {
    let image = Self.large
    #expect(portrait.image == image)
    let twin = Portrait("twin", portrait.image)
    context.insert(twin)
    try context.save()
    #expect(try fixture.context().all(Portrait.self).map(\.image) == [image, image])
    for kind in EveryStore.allCases {
      let target = try ContainerFixture(kind, for: Portrait.self)
      try fixture.open().copy(to: target.open())
      #expect(try target.context().all(Portrait.self).map(\.image) == [image, image])
    }
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `is copied as stored after two new objects with one unique value`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Portrait.self)
    let context = try fixture.context()
    let portrait = Portrait("one", Data([1]))
    context.insert(portrait)
    context.insert(Portrait("one", Self.large))
    try context.save()
    _ = try context.all(Portrait.self)
    try expectCopies(of: portrait, in: context, of: fixture)
  }

  @Test(arguments: EveryStore.withServerAndTextKeys)
  func `is copied as stored after a save of another property met a newer value`(
    store: EveryStore
  ) throws {
    let fixture = try ContainerFixture(store, for: Portrait.self)
    let container = try fixture.open()
    let (here, there) = (ModelContext(container), ModelContext(container))
    let theirs = Portrait("one", Data(Self.large.reversed()))
    there.insert(theirs)
    try there.save()
    let mine = try #require(try here.all(Portrait.self).first)
    #expect(mine.image == theirs.image)
    theirs.image = Self.large
    mine.size = 2
    try there.save()
    try here.save()
    _ = try here.all(Portrait.self)
    try expectCopies(of: mine, in: here, of: fixture)
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
  @Attribute(.unique) var name: String
  var size = 1
  @Attribute(.externalStorage) var image: Data?

  init(_ name: String, _ image: Data?) {
    self.name = name
    self.image = image
  }
}
