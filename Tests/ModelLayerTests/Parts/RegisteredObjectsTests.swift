import StoreProtocol
import Testing

@testable import ModelLayer

@Suite("Registered objects without a context")
struct RegisteredObjectsTests {
  private let fixture: PartsFixture
  private var objects: RegisteredObjects { fixture.objects }

  init() throws {
    fixture = try PartsFixture()
  }

  @Test func `are found by their keys and counted`() throws {
    let letter = try fixture.letter(7)
    #expect(fixture.letters.identityMap.model(for: .integer(7)) === letter)
    #expect(fixture.letters.identityMap.model(for: .integer(8)) == nil)
    #expect(objects.count == 1)
    #expect(objects.arrivals == 1)
    #expect(objects.all.count == 1)
  }

  @Test func `have one registration for each entity, and one map for a hierarchy`() throws {
    #expect(objects.registration(for: Letter.self, { nil }) === fixture.letters)
    #expect(objects.registration(for: Parcel.self, { nil }) == nil)
    try fixture.addParcels()
    let parcels = try #require(objects.registration(named: "Parcel"))
    #expect(objects.registration(for: Parcel.self, { nil }) === parcels)
    #expect(parcels.identityMap === fixture.letters.identityMap)
    #expect(objects.identityMap(named: "Letter") === parcels.identityMap)
    #expect(objects.maps.count == 1)
    #expect(objects.relatedMaps.isEmpty)
  }

  @Test func `are kept until the context ends, and followed afterward`() throws {
    _ = try fixture.letter(1)
    var letter: Letter? = try fixture.letter(2)
    #expect(objects.all.count == 2)
    objects.release(remain: true)
    #expect(!objects.isHeld)
    #expect(objects.all.count == 1)
    #expect(fixture.letters.identityMap.model(for: .integer(2)) === letter)
    #expect(objects.registration(for: Letter.self, { nil }) === fixture.letters)
    letter = nil
    #expect(objects.all.isEmpty)
  }

  @Test func `are kept again once a context is created again`() throws {
    var letter: Letter? = try fixture.letter(1)
    objects.release(remain: true)
    objects.hold()
    #expect(letter != nil)
    letter = nil
    #expect(objects.all.count == 1)
    #expect(objects.registration(for: Letter.self, { nil }) === fixture.letters)
  }

  @Test func `leave when they are unused, unless they are needed`() throws {
    _ = try fixture.letter(1)
    let used = try fixture.letter(2)
    let needed = ObjectIdentifier(try fixture.letter(3))
    objects.evictUnused { ObjectIdentifier($0) == needed }
    #expect(objects.count == 2)
    #expect(objects.arrivals == 3)
    #expect(fixture.letters.identityMap.model(for: .integer(1)) == nil)
    #expect(fixture.letters.identityMap.model(for: .integer(2)) === used)
    #expect(fixture.letters.identityMap.model(for: .integer(3)) != nil)
  }

  @Test func `ask what is needed only when there are many`() throws {
    _ = try fixture.letter(1)
    objects.evictIfCrowded(except: 0) {
      Issue.record("one object is no crowd")
      return { _ in true }
    }
    #expect(objects.count == 1)
  }

  @Test func `share the registration of identifiers of one scope`() throws {
    let letter = try fixture.letter(1)
    let identifier = letter.persistentModelID
    let entry = try #require(objects.entry(of: identifier) { _ in fixture.letters })
    #expect(entry.isOfStore)
    #expect(objects.entry(of: identifier) { _ in nil } === entry)
    let scope = PersistentIdentifier.Scope(storeIdentifier: "other", entityName: "Letter")
    let other = PersistentIdentifier(scope: scope, key: .integer(1))
    #expect(objects.entry(of: other) { _ in fixture.letters }?.isOfStore == false)
    #expect(objects.entry(of: identifier) { _ in nil } == nil)
  }

  @Test func `count deletions that were saved`() throws {
    let letter = try fixture.letter(1, "last")
    objects.forget(letter)
    #expect(objects.deletions == 1)
    #expect(letter.isDeleted)
    #expect(letter.title == "last")
    #expect(letter.lifeCycle == .vanished)
  }
}
