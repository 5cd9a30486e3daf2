import StoreProtocol
import Testing

@testable import ModelLayer

@Suite("The result of a store, applied to objects without a context")
struct SaveAdoptionTests {
  private let fixture: PartsFixture

  init() throws {
    fixture = try PartsFixture()
  }

  private func batch() -> SavePlan.Batch {
    SavePlan.Batch(
      store: fixture.letters.store,
      changes: StoreChanges(editingState: EditingState())
    )
  }

  private func newLetter() -> Letter {
    let letter = Letter("new")
    letter._$state.registration = fixture.letters
    letter._$state.flags.insert([.tracked, .inserted])
    letter._$state.key = PersistentIdentifier.nextTemporaryNumber()
    return letter
  }

  @Test func `gives new objects their identifiers and versions`() throws {
    let letter = newLetter()
    let temporary = letter.persistentModelID
    let scope = fixture.letters.scope
    let permanent = PersistentIdentifier(scope: scope, key: .integer(4))
    var batch = batch()
    batch.inserted = [letter]
    var adoption = SaveAdoption(fixture.objects)
    let result = StoreChangesResult(remapped: [temporary: permanent], version: 9)
    _ = try adoption.adopt(batch, with: result)
    #expect(letter.persistentModelID == permanent)
    #expect(letter._$state.version == 9)
    #expect(letter.lifeCycle == .registered)
    #expect(fixture.letters.identityMap.model(for: .integer(4)) === letter)
    #expect(adoption.saved.inserted == [permanent])
    #expect(!adoption.saved.hasMerged)
  }

  @Test func `gives new objects consecutive keys`() throws {
    let letters = [newLetter(), newLetter()]
    var batch = batch()
    batch.inserted = letters
    var result = StoreChangesResult(version: 3)
    result.firstKeys = [11]
    var adoption = SaveAdoption(fixture.objects)
    _ = try adoption.adopt(batch, with: result)
    #expect(letters.map(\._$state.key) == [11, 12])
    #expect(adoption.saved.inserted.map(\.key) == [.integer(11), .integer(12)])
    #expect(fixture.objects.count == 2)
  }

  @Test func `throws if the store names no key for a new object`() throws {
    let letter = newLetter()
    var batch = batch()
    batch.inserted = [letter]
    var adoption = SaveAdoption(fixture.objects)
    let error = #expect(throws: DataStoreError.self) {
      _ = try adoption.adopt(batch, with: StoreChangesResult())
    }
    #expect(error?.code == .outcomeUnknown)
    #expect(letter.lifeCycle == .inserted)
  }

  @Test func `removes deleted objects and the marks of changed ones`() throws {
    let (changed, deleted) = (try fixture.letter(1), try fixture.letter(2))
    changed._$state.flags.insert(.changed)
    changed._$state.dirty = 1
    deleted._$state.flags.insert(.deleted)
    var batch = batch()
    batch.changed = [changed]
    batch.deleted = [deleted]
    let identifiers = [changed.persistentModelID, deleted.persistentModelID]
    var adoption = SaveAdoption(fixture.objects)
    _ = try adoption.adopt(batch, with: StoreChangesResult(version: 2))
    #expect(changed.lifeCycle == .registered)
    #expect(deleted.lifeCycle == .vanished)
    #expect(fixture.letters.identityMap.model(for: .integer(2)) == nil)
    #expect(adoption.saved.updated == [identifiers[0]])
    #expect(adoption.saved.deleted == [identifiers[1]])
    #expect(fixture.objects.deletions == 1)
  }

  @Test func `lets a new object leave whose row has another object`() throws {
    let (registered, letter) = (try fixture.letter(1), newLetter())
    let temporary = letter.persistentModelID
    let permanent = registered.persistentModelID
    var batch = batch()
    batch.inserted = [letter]
    var adoption = SaveAdoption(fixture.objects)
    let merges = try adoption.adopt(
      batch,
      with: StoreChangesResult(remapped: [temporary: permanent], merged: [temporary], version: 2)
    )
    #expect(adoption.saved.hasMerged)
    #expect(adoption.saved.updated == [permanent])
    #expect(letter.lifeCycle == .detached)
    #expect(letter.persistentModelID == permanent)
    var fetched: Set<PersistentIdentifier.Key> = []
    try merges.finish(batch, fixture.objects.registration(named:)) { keys, _ in
      fetched = keys
      return [registered]
    }
    #expect(fetched == [permanent.key])
  }
}
