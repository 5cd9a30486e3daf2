import StoreProtocol
import Testing

@testable import ModelLayer

@Suite("Making objects from rows without a context")
struct ObjectMaterializerTests {
  private let fixture: PartsFixture

  init() throws {
    fixture = try PartsFixture()
  }

  private func materializer(
    _ refresh: ObjectMaterializer.Refresh = .all
  ) -> ObjectMaterializer {
    ObjectMaterializer(nil, of: fixture.letters, refresh: refresh)
  }

  @Test func `makes one object for each key, in any order of the keys`() throws {
    var materializer = materializer()
    let keys: [Int64] = [1, 2, 5, 3, 5, 1]
    let made = try keys.map { try materializer.model(of: fixture.row(.integer($0), "\($0)")) }
    #expect(made.map { ($0 as? Letter)?.title } == keys.map { "\($0)" })
    #expect(made[4] === made[2])
    #expect(made[5] === made[0])
    #expect(fixture.objects.count == 4)
    #expect(made.allSatisfy { $0.registration === fixture.letters })
    #expect(made[0]._$state.version == 1)
  }

  @Test func `finds objects that others registered in between`() throws {
    var materializer = materializer()
    let first = try materializer.model(of: fixture.row(.integer(1), "a"))
    let other = try fixture.letter(2)
    #expect(try materializer.model(of: fixture.row(.integer(2), "b")) === other)
    #expect(try materializer.model(of: fixture.row(.integer(1), "a")) === first)
  }

  @Test(arguments: [
    (ObjectMaterializer.Refresh.all, Int64(1), "new"), (.outdated, 1, "old"),
    (.outdated, 2, "new"), (.older, 1, "old"), (.older, 2, "new"),
  ])
  func `refreshes registered objects as it is told`(
    refresh: ObjectMaterializer.Refresh,
    version: Int64,
    title: String
  ) throws {
    let letter = try fixture.letter(1, "old")
    var materializer = materializer(refresh)
    let row = try fixture.row(.integer(1), "new", version: version)
    #expect(try materializer.model(of: row) === letter)
    #expect(letter.title == title)
  }

  @Test func `keeps unsaved changes`() throws {
    let letter = try fixture.letter(1, "old")
    letter._$state.flags.insert(.changed)
    var materializer = materializer()
    _ = try materializer.model(of: fixture.row(.integer(1), "new", version: 2))
    #expect(letter.title == "old")
    #expect(letter._$state.version == 1)
  }

  @Test func `makes objects of keys that are not integers`() throws {
    var materializer = materializer()
    let made = try materializer.model(of: fixture.row(.text("a"), "first"))
    #expect(try materializer.model(of: fixture.row(.text("a"), "again")) === made)
    #expect(made.persistentModelID.key == .text("a"))
  }

  @Test func `makes objects of the entity of each row`() throws {
    try fixture.addParcels()
    var materializer = materializer()
    let letter = try materializer.model(of: fixture.row(.integer(1), "a"))
    let parcel = try materializer.model(of: fixture.row(.integer(2), "b", of: "Parcel"))
    #expect(type(of: letter) == Letter.self)
    #expect(type(of: parcel) == Parcel.self)
    #expect(parcel.registration?.entity.name == "Parcel")
  }

  @Test func `refuses a row of an entity without a registration`() throws {
    var materializer = materializer()
    let row = try fixture.row(.integer(1), "a", of: "Parcel")
    let error = #expect(throws: DataStoreError.self) { try materializer.model(of: row) }
    #expect(error == .schemaMismatch)
  }

  @Test func `lets objects report changes while that is needed`() throws {
    #expect(try !fixture.letter(1)._$state.flags.contains(.recorded))
    fixture.objects.recordsChanges = true
    #expect(try fixture.letter(2)._$state.flags.contains(.recorded))
  }
}
