import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Each test runs with a save that was stored and with one that was not.
///
/// After the next save, the result must be the same.
@Suite("A save with an unknown outcome")
struct IndeterminateSaveTests {
  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `is resolved at once if the store can tell`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try IndeterminateFixture(store)
    let crate = Consignment("a")
    fixture.context.insert(crate)
    fixture.outcomes.begin(fate, canTell: true)
    if fate == .lost {
      #expect(throws: DataStoreError.notSaved) { try fixture.context.save() }
      #expect(fixture.context.insertedModelsArray.count == 1)
      try fixture.context.save()
    } else {
      try fixture.context.save()
    }
    #expect(!fixture.context.hasChanges)
    #expect(!crate.persistentModelID.isTemporary)
    #expect(try fixture.stored() == ["a 1 -"])
  }

  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `keeps changes pending, and is resolved before anything else`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try IndeterminateFixture(store)
    fixture.context.insert(Consignment("a"))
    fixture.saveWithUnknownOutcome(fate)
    #expect(fixture.context.hasChanges)
    #expect(throws: DataStoreError.outcomeUnknown) { try fixture.context.save() }
    // Nothing is sent twice.
    #expect(fixture.outcomes.saves == 1)
    try fixture.saveAgain()
    #expect(try fixture.stored() == ["a 1 -"])
  }

  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `stores new objects once, with the changes made since`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try IndeterminateFixture(store)
    let lorry = Lorry("x")
    let crates = (0..<3).map { Consignment("\($0)", lorry: lorry) }
    for crate in crates { fixture.context.insert(crate) }
    fixture.saveWithUnknownOutcome(fate)
    crates[0].label = "newest"
    crates[1].weight = 9
    crates[1].lorry = nil
    lorry.plate = "y"
    lorry.crates.append(Consignment("late"))
    try fixture.saveAgain()
    #expect(try fixture.stored() == ["1 9 -", "2 1 y", "late 1 y", "newest 1 y"])
    #expect(crates.allSatisfy { !$0.persistentModelID.isTemporary })
    #expect(Set(lorry.crates.map(\.label)) == ["newest", "2", "late"])
    let kept: Consignment? = fixture.context.registeredModel(for: crates[0].persistentModelID)
    #expect(kept === crates[0])
  }

  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `stores the newest values of changed objects`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try IndeterminateFixture(store)
    let crates = (0..<3).map { Consignment("\($0)") }
    for crate in crates { fixture.context.insert(crate) }
    try fixture.context.save()
    for crate in crates { crate.weight = 5 }
    fixture.saveWithUnknownOutcome(fate)
    crates[0].weight = 6
    crates[1].label = "one"
    crates[2].weight = 1
    try fixture.saveAgain()
    #expect(try fixture.stored() == ["0 6 -", "2 1 -", "one 5 -"])
    #expect(crates.map(\.weight) == [6, 5, 1])
  }

  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `leaves no row of a new object that is deleted since`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try IndeterminateFixture(store)
    let (crate, other) = (Consignment("a"), Consignment("b"))
    fixture.context.insert(crate)
    fixture.context.insert(other)
    fixture.saveWithUnknownOutcome(fate)
    fixture.context.delete(crate)
    try fixture.saveAgain()
    #expect(try fixture.stored() == ["b 1 -"])
    #expect(crate.isDeleted)
  }

  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `leaves one row if a deleted object is inserted again`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try IndeterminateFixture(store)
    let crate = Consignment("a")
    fixture.context.insert(crate)
    try fixture.context.save()
    fixture.context.delete(crate)
    fixture.saveWithUnknownOutcome(fate)
    fixture.context.insert(crate)
    try fixture.saveAgain()
    #expect(try fixture.stored() == ["a 1 -"])
    #expect(!crate.isDeleted)
    let found = try fixture.context.fetch(FetchDescriptor<Consignment>())
    #expect(found.count == 1 && found.first === crate)
  }

  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `completes a deletion`(store: EveryStore, fate: UnknownOutcomes.Fate) throws {
    let fixture = try IndeterminateFixture(store)
    let crate = Consignment("a")
    fixture.context.insert(crate)
    try fixture.context.save()
    fixture.context.delete(crate)
    fixture.saveWithUnknownOutcome(fate)
    try fixture.saveAgain()
    #expect(try fixture.stored() == [])
    #expect(crate.lifeCycle == .vanished)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `that is rolled back leaves the objects as they are stored`(store: EveryStore) throws {
    for fate in UnknownOutcomes.Fate.allCases {
      let fixture = try IndeterminateFixture(store)
      let (old, gone, new) = (Consignment("old"), Consignment("gone"), Consignment("new"))
      fixture.context.insert(old)
      fixture.context.insert(gone)
      try fixture.context.save()
      old.weight = 2
      fixture.context.delete(gone)
      fixture.context.insert(new)
      fixture.saveWithUnknownOutcome(fate)
      fixture.context.rollback()
      try fixture.saveAgain()
      let expected = fate == .saved ? ["new 1 -", "old 2 -"] : ["gone 1 -", "old 1 -"]
      #expect(try fixture.stored() == expected)
      #expect(old.weight == (fate == .saved ? 2 : 1))
      #expect(gone.isDeleted == (fate == .saved))
      #expect(new.lifeCycle == .transient)
      let found = try fixture.context.fetch(FetchDescriptor<Consignment>()).map(\.label)
      #expect(Set(found) == (fate == .saved ? ["old", "new"] : ["old", "gone"]))
    }
  }

  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `stores a new object once if it is inserted again after a rollback`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try IndeterminateFixture(store)
    let crate = Consignment("a")
    fixture.context.insert(crate)
    fixture.saveWithUnknownOutcome(fate)
    fixture.context.rollback()
    crate.weight = 7
    fixture.context.insert(crate)
    try fixture.saveAgain()
    #expect(try fixture.stored() == ["a 7 -"])
  }

  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `is discarded by a reset, and a fetch returns the stored state`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try IndeterminateFixture(store)
    fixture.context.insert(Consignment("a"))
    fixture.saveWithUnknownOutcome(fate)
    fixture.context.reset()
    try fixture.context.save()
    let found = try fixture.context.fetch(FetchDescriptor<Consignment>())
    #expect(found.count == (fate == .saved ? 1 : 0))
  }

  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `is resolved before a fetch, which returns the same objects`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try IndeterminateFixture(store)
    let consignment = Consignment("a")
    fixture.context.insert(consignment)
    fixture.saveWithUnknownOutcome(fate)
    consignment.weight = 2
    fixture.outcomes.recover()
    let found = try fixture.context.fetch(FetchDescriptor<Consignment>())
    #expect(found.count == 1 && found.first === consignment)
    #expect(consignment.persistentModelID.isTemporary == (fate == .lost))
    #expect(fixture.context.hasChanges)
    try fixture.context.save()
    #expect(try fixture.stored() == ["a 2 -"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `posts its notification once it is resolved`(store: EveryStore) throws {
    let fixture = try IndeterminateFixture(store)
    fixture.context.insert(Consignment("a"))
    fixture.saveWithUnknownOutcome(.saved)
    nonisolated(unsafe) var announced: [Int] = []
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: fixture.context,
      queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
      announced.append((notification.userInfo?[key] as? [PersistentIdentifier])?.count ?? -1)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try fixture.saveAgain()
    #expect(announced == [1])
  }
}

@Suite("A save with an unknown outcome that the store does not record")
struct UnaccountedSaveTests {
  private func makeFixture(
    _ store: EveryStore,
    _ fate: UnknownOutcomes.Fate,
    _ change: (ModelContext, Consignment, Consignment) -> Void
  ) throws -> IndeterminateFixture {
    let fixture = try IndeterminateFixture(store)
    let (first, second) = (Consignment("a"), Consignment("b"))
    fixture.context.insert(first)
    fixture.context.insert(second)
    try fixture.context.save()
    change(fixture.context, first, second)
    fixture.outcomes.begin(fate, keepsAccount: false)
    return fixture
  }

  @Test(arguments: EveryStore.withTextKeys, UnknownOutcomes.Fate.allCases)
  func `is resolved by the rows that it changes or deletes`(
    store: EveryStore,
    fate: UnknownOutcomes.Fate
  ) throws {
    let fixture = try makeFixture(store, fate) { context, first, second in
      first.weight = 3
      context.delete(second)
    }
    if fate == .lost {
      #expect(throws: DataStoreError.notSaved) { try fixture.context.save() }
    }
    try fixture.context.save()
    #expect(!fixture.context.hasChanges)
    #expect(try fixture.stored() == ["a 3 -"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `is not saved if its changes are absent, even with new rows`(
    store: EveryStore
  ) throws {
    let fixture = try makeFixture(store, .lost) { context, first, _ in
      first.weight = 3
      context.insert(Consignment("c"))
    }
    #expect(throws: DataStoreError.notSaved) { try fixture.context.save() }
    try fixture.context.save()
    #expect(try fixture.stored() == ["a 3 -", "b 1 -", "c 1 -"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `with only new rows stays unknown until a reset`(store: EveryStore) throws {
    let fixture = try makeFixture(store, .saved) { context, _, _ in context.insert(Consignment("c"))
    }
    #expect(throws: DataStoreError.outcomeUnknown) { try fixture.context.save() }
    #expect(throws: DataStoreError.outcomeUnknown) { try fixture.context.save() }
    fixture.context.reset()
    try fixture.context.save()
    #expect(try fixture.stored() == ["a 1 -", "b 1 -", "c 1 -"])
  }
}
