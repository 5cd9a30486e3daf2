import StoreProtocol
import Testing

@testable import ModelLayer

@Suite("Unsaved changes without a context")
struct UnsavedChangesTests {
  private let fixture: PartsFixture
  private var pending = PendingChanges()

  init() throws {
    fixture = try PartsFixture()
  }

  private func newLetter() -> Letter {
    let letter = Letter("new")
    letter._$state.registration = fixture.letters
    letter._$state.flags.insert([.tracked, .inserted])
    return letter
  }

  private func changedLetter(_ key: Int64) throws -> Letter {
    let letter = try fixture.letter(key)
    letter._$state.flags.insert(.changed)
    return letter
  }

  private mutating func delete(_ letter: Letter, _ cause: DeletionCause = .program) {
    pending.note(cause, of: letter)
    letter._$state.flags.insert(.deleted)
    pending.delete(letter)
  }

  @Test mutating func `are listed in their order by what the next save does`() throws {
    let (new, changed, deleted) = (newLetter(), try changedLetter(1), try fixture.letter(2))
    pending.note(.inserted, of: new)
    pending.note(.changed, of: changed)
    delete(deleted)
    let objects = pending.objects(deleted: pending.deletedObjects)
    #expect(objects.inserted.models.map(ObjectIdentifier.init) == [ObjectIdentifier(new)])
    #expect(objects.changed.models.map(ObjectIdentifier.init) == [ObjectIdentifier(changed)])
    #expect(objects.deleted.models.map(ObjectIdentifier.init) == [ObjectIdentifier(deleted)])
    #expect(objects.deleted.runs.map(\.identifiers) == [[deleted.persistentModelID]])
    #expect(pending.forgotten.isEmpty)
  }

  @Test mutating func `leave out objects that left their state`() throws {
    let (new, changed) = (newLetter(), try changedLetter(1))
    pending.note(.inserted, of: new)
    pending.note(.changed, of: changed)
    #expect(!pending.isEmpty)
    changed._$state.flags.remove(.changed)
    delete(new)
    #expect(pending.isEmpty)
    #expect(pending.holdsObjects)
    #expect(pending.forgotten.count == 1)
    #expect(pending.objects(deleted: pending.deletedObjects).inserted.models.isEmpty)
  }

  @Test mutating func `list an object once that returned to its state`() throws {
    let changed = try changedLetter(1)
    pending.note(.changed, of: changed)
    pending.note(.changed, of: changed)
    pending.mayRepeat = true
    #expect(pending.changed.count == 1)
    #expect(
      pending.objects(deleted: pending.deletedObjects).changed.runs.map(\.models.count) == [1]
    )
  }

  @Test mutating func `tell deletions of the program from those of rules`() throws {
    let (own, cascaded) = (try fixture.letter(1), try fixture.letter(2))
    delete(own)
    delete(cascaded, .rule(of: own))
    #expect(!pending.isCascaded(own))
    #expect(pending.isCascaded(cascaded))
    pending.note(.program, of: cascaded)
    #expect(!pending.isCascaded(cascaded))
  }

  @Test mutating func `revert a deletion whose last cause is reverted`() throws {
    let letters = try (Int64(1)...4).map { try fixture.letter($0) }
    delete(letters[0])
    delete(letters[1])
    delete(letters[2], .rule(of: letters[0]))
    pending.note(.rule(of: letters[1]), of: letters[2])
    delete(letters[3], .successor(letters[0]))
    #expect(!pending.isCascaded(letters[3]))
    let results = [
      pending.removeCause(letters[0], of: letters[2]),
      // It is no longer a cause.
      pending.removeCause(letters[0], of: letters[2]),
      pending.removeCause(letters[1], of: letters[2]),
      pending.removeCause(letters[0], of: letters[3]),
    ]
    #expect(results == [false, false, true, true])
    pending.note(.rule(of: letters[1]), of: letters[0])
    let isLast = pending.removeCause(letters[1], of: letters[0])
    #expect(!isLast, "the program has deleted it itself")
  }

  @Test func `of an ended context last as long as their objects`() throws {
    var detached = WeakObjects<UnsavedChange>()
    var letter: Letter? = newLetter()
    detached.add(try #require(letter), .inserted)
    #expect(detached.present.count == 1)
    letter = nil
    #expect(detached.present.isEmpty)
  }

  @Test mutating func `make one run of the consecutive objects of an entity`() throws {
    try fixture.addParcels()
    let parcels = try #require(fixture.objects.registration(named: "Parcel"))
    let row = try fixture.row(.integer(3), "", of: "Parcel")
    let parcel = try parcels.makeObject(for: .integer(3), from: row, lacking: [])
    parcel._$state.flags.insert(.changed)
    for letter in [try changedLetter(1), try changedLetter(2)] {
      pending.note(.changed, of: letter)
    }
    pending.note(.changed, of: parcel)
    let runs = pending.objects(deleted: pending.deletedObjects).changed.runs
    #expect(runs.map(\.registration.entity.name) == ["Letter", "Parcel"])
    #expect(runs.map(\.models.count) == [2, 1])
  }
}
