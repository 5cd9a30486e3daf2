import StoreProtocol
import Testing

@testable import ModelLayer

@Suite("A save to a store, without a context")
struct SaveTests {
  private let fixture: PartsFixture

  init() throws {
    fixture = try PartsFixture()
  }

  private func makeSave(
    _ changes: StoreChanges = StoreChanges(),
    result: StoreChangesResult? = nil
  ) -> Save {
    var save = Save(store: fixture.letters.store, changes: changes)
    if let result { (save.result, save.state) = (result, .stored) }
    return save
  }

  private func newLetter() -> Letter {
    let letter = Letter("new")
    letter._$state.registration = fixture.letters
    letter._$state.flags.insert([.tracked, .inserted])
    letter._$state.key = PersistentIdentifier.nextTemporaryNumber()
    return letter
  }

  private func change(of row: PersistentIdentifier) -> StoreUpdate {
    StoreUpdate(identifier: row, changes: [StoreUpdate.Change(0, .string("changed"))])
  }

  private func search(_: [any PersistentModel]) -> RelatedObjects { RelatedObjects { _ in [] } }

  @Test func `is stored by its store`() throws {
    let letter = newLetter()
    let entity = fixture.letters.entity
    let record = DefaultSnapshot(
      persistentIdentifier: letter.persistentModelID,
      entity: entity,
      values: entity.properties.map { $0.name == "title" ? .string("new") : .integer(1) }
    )
    var save = makeSave(StoreChanges(inserted: [record]))
    save.inserted = [letter]
    try save.apply(search)
    #expect(save.state == .stored)
    #expect(letter.lifeCycle == .inserted)
    try save.adopt(in: fixture.objects)
    #expect(save.state == .adopted)
    #expect(save.insertedRows == [letter.persistentModelID])
    #expect(save.namedResult.remapped == [record.persistentIdentifier: letter.persistentModelID])
  }

  @Test func `that a store refuses for another reason is still planned`() throws {
    let change = BulkChange.delete(StoreQuery(entity: "Telegram"))
    var save = makeSave(StoreChanges(bulkChanges: [change]))
    #expect(throws: DataStoreError.self) { try save.apply(search) }
    #expect(save.state == .planned)
  }

  @Test func `of a row that is gone is conflicted, and its policy begins with the plan`() throws {
    let letter = try fixture.letter(40)
    letter._$state.flags.insert(.changed)
    letter._$state.dirty = 1
    var planned = makeSave(StoreChanges(updated: [change(of: letter.persistentModelID)]))
    planned.changed = [letter]
    try planned.compareVersions(by: .storeWins)
    var save = planned
    let error = try #require(throws: DataStoreError.self) { try save.apply(search) }
    #expect(error == .conflict)
    #expect(save.state == .conflicted)
    #expect(throws: DataStoreError.conflict) { try planned.resolved(by: .error, after: error) }
    let resolved = try planned.resolved(by: .storeWins, after: error)
    #expect(resolved.state == .planned)
    #expect(resolved.vanished.count == 1 && resolved.changed.isEmpty)
    #expect(resolved.changes.updates.isEmpty && resolved.changes.expectedVersions.isEmpty)
    #expect(planned.changes.expectedVersions == [letter.persistentModelID: 1])
    #expect(letter.lifeCycle == .changed)
  }

  @Test func `gives new objects their identifiers and versions`() throws {
    let letter = newLetter()
    let temporary = letter.persistentModelID
    let scope = fixture.letters.scope
    let permanent = PersistentIdentifier(scope: scope, key: .integer(4))
    var save = makeSave(
      result: StoreChangesResult(remapped: [temporary: permanent], version: 9)
    )
    save.inserted = [letter]
    try save.adopt(in: fixture.objects)
    #expect(letter.persistentModelID == permanent)
    #expect(letter._$state.version == 9)
    #expect(letter.lifeCycle == .registered)
    #expect(fixture.letters.identityMap.model(for: .integer(4)) === letter)
    #expect(save.insertedRows == [permanent])
    #expect(save.mergedRows.isEmpty)
  }

  @Test func `gives new objects consecutive keys`() throws {
    let letters = [newLetter(), newLetter()]
    var result = StoreChangesResult(version: 3)
    result.firstKeys = [11]
    var save = makeSave(result: result)
    save.inserted = letters
    try save.adopt(in: fixture.objects)
    #expect(letters.map(\._$state.key) == [11, 12])
    #expect(save.insertedRows.map(\.key) == [.integer(11), .integer(12)])
    #expect(fixture.objects.count == 2)
  }

  @Test func `throws if the store names no key for a new object`() throws {
    let letter = newLetter()
    var save = makeSave(result: StoreChangesResult())
    save.inserted = [letter]
    let error = #expect(throws: DataStoreError.self) { try save.adopt(in: fixture.objects) }
    #expect(error == .outcomeUnknown)
    #expect(save.state == .stored)
    #expect(letter.lifeCycle == .inserted)
  }

  @Test func `removes deleted objects and the marks of changed ones`() throws {
    let (changed, deleted) = (try fixture.letter(1), try fixture.letter(2))
    changed._$state.flags.insert(.changed)
    changed._$state.dirty = 1
    deleted._$state.flags.insert(.deleted)
    let identifiers = [changed.persistentModelID, deleted.persistentModelID]
    var save = makeSave(result: StoreChangesResult(version: 2))
    save.changed = [changed]
    save.deleted = [deleted]
    try save.adopt(in: fixture.objects)
    #expect(changed.lifeCycle == .registered)
    #expect(deleted.lifeCycle == .vanished)
    #expect(fixture.letters.identityMap.model(for: .integer(2)) == nil)
    #expect(save.updatedRows == [identifiers[0]])
    #expect(save.deletedRows == [identifiers[1]])
    #expect(fixture.objects.deletions == 1)
  }

  @Test func `lets a new object leave whose row has another object`() throws {
    let (registered, letter) = (try fixture.letter(1), newLetter())
    let temporary = letter.persistentModelID
    let permanent = registered.persistentModelID
    var save = makeSave(
      result: StoreChangesResult(remapped: [temporary: permanent], merged: [temporary], version: 2)
    )
    save.inserted = [letter]
    try save.adopt(in: fixture.objects)
    #expect(save.mergedRows == [permanent])
    #expect(save.updatedRows == [permanent])
    #expect(letter.lifeCycle == .detached)
    #expect(letter.persistentModelID == permanent)
    var fetched: Set<PersistentIdentifier.Key> = []
    try save.followMerges(fixture.objects.registration(named:)) { keys, _ in
      fetched = keys
      return [registered]
    }
    #expect(fetched == [permanent.key])
  }
}
