import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

/// Each test runs with a save that was stored and with one that was not.
///
/// After the next save, the result must be the same.
@Suite("A save with an unknown outcome")
struct DoubtfulSaveTests {
  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `is resolved at once if the store can tell`(
    store: EveryStore,
    fate: Doubts.Fate
  ) throws {
    let place = try DoubtfulPlace(store)
    let crate = Consignment("a")
    place.context.insert(crate)
    place.doubts.begin(fate, canTell: true)
    if fate == .lost {
      #expect(throws: DataStoreError.notSaved) { try place.context.save() }
      #expect(place.context.insertedModelsArray.count == 1)
      try place.context.save()
    } else {
      try place.context.save()
    }
    #expect(!place.context.hasChanges)
    #expect(!crate.persistentModelID.isTemporary)
    #expect(try place.stored() == ["a 1 -"])
  }

  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `keeps changes pending, and is resolved before anything else`(
    store: EveryStore,
    fate: Doubts.Fate
  ) throws {
    let place = try DoubtfulPlace(store)
    place.context.insert(Consignment("a"))
    place.saveInDoubt(fate)
    #expect(place.context.hasChanges)
    #expect(throws: DataStoreError.outcomeUnknown) { try place.context.save() }
    // Nothing is sent twice.
    #expect(place.doubts.saves == 1)
    try place.saveAgain()
    #expect(try place.stored() == ["a 1 -"])
  }

  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `stores new objects once, with the changes made since`(
    store: EveryStore,
    fate: Doubts.Fate
  ) throws {
    let place = try DoubtfulPlace(store)
    let lorry = Lorry("x")
    let crates = (0..<3).map { Consignment("\($0)", lorry: lorry) }
    for crate in crates { place.context.insert(crate) }
    place.saveInDoubt(fate)
    crates[0].label = "newest"
    crates[1].weight = 9
    crates[1].lorry = nil
    lorry.plate = "y"
    lorry.crates.append(Consignment("late"))
    try place.saveAgain()
    #expect(try place.stored() == ["1 9 -", "2 1 y", "late 1 y", "newest 1 y"])
    #expect(crates.allSatisfy { !$0.persistentModelID.isTemporary })
    #expect(Set(lorry.crates.map(\.label)) == ["newest", "2", "late"])
    let kept: Consignment? = place.context.registeredModel(for: crates[0].persistentModelID)
    #expect(kept === crates[0])
  }

  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `stores the newest values of changed objects`(
    store: EveryStore,
    fate: Doubts.Fate
  ) throws {
    let place = try DoubtfulPlace(store)
    let crates = (0..<3).map { Consignment("\($0)") }
    for crate in crates { place.context.insert(crate) }
    try place.context.save()
    for crate in crates { crate.weight = 5 }
    place.saveInDoubt(fate)
    crates[0].weight = 6
    crates[1].label = "one"
    crates[2].weight = 1
    try place.saveAgain()
    #expect(try place.stored() == ["0 6 -", "2 1 -", "one 5 -"])
    #expect(crates.map(\.weight) == [6, 5, 1])
  }

  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `leaves no row of a new object that is deleted since`(
    store: EveryStore,
    fate: Doubts.Fate
  ) throws {
    let place = try DoubtfulPlace(store)
    let (crate, other) = (Consignment("a"), Consignment("b"))
    place.context.insert(crate)
    place.context.insert(other)
    place.saveInDoubt(fate)
    place.context.delete(crate)
    try place.saveAgain()
    #expect(try place.stored() == ["b 1 -"])
    #expect(crate.isDeleted)
  }

  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `leaves one row if a deleted object is inserted again`(
    store: EveryStore,
    fate: Doubts.Fate
  ) throws {
    let place = try DoubtfulPlace(store)
    let crate = Consignment("a")
    place.context.insert(crate)
    try place.context.save()
    place.context.delete(crate)
    place.saveInDoubt(fate)
    place.context.insert(crate)
    try place.saveAgain()
    #expect(try place.stored() == ["a 1 -"])
    #expect(!crate.isDeleted)
    let found = try place.context.fetch(FetchDescriptor<Consignment>())
    #expect(found.count == 1 && found.first === crate)
  }

  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `completes a deletion`(store: EveryStore, fate: Doubts.Fate) throws {
    let place = try DoubtfulPlace(store)
    let crate = Consignment("a")
    place.context.insert(crate)
    try place.context.save()
    place.context.delete(crate)
    place.saveInDoubt(fate)
    try place.saveAgain()
    #expect(try place.stored() == [])
    #expect(crate.lifeCycle == .vanished)
  }

  @Test(arguments: EveryStore.allCases)
  func `that is rolled back leaves the objects as they are stored`(store: EveryStore) throws {
    for fate in Doubts.Fate.allCases {
      let place = try DoubtfulPlace(store)
      let (old, gone, new) = (Consignment("old"), Consignment("gone"), Consignment("new"))
      place.context.insert(old)
      place.context.insert(gone)
      try place.context.save()
      old.weight = 2
      place.context.delete(gone)
      place.context.insert(new)
      place.saveInDoubt(fate)
      place.context.rollback()
      try place.saveAgain()
      let expected = fate == .saved ? ["new 1 -", "old 2 -"] : ["gone 1 -", "old 1 -"]
      #expect(try place.stored() == expected)
      #expect(old.weight == (fate == .saved ? 2 : 1))
      #expect(gone.isDeleted == (fate == .saved))
      #expect(new.lifeCycle == .transient)
      let found = try place.context.fetch(FetchDescriptor<Consignment>()).map(\.label)
      #expect(Set(found) == (fate == .saved ? ["old", "new"] : ["old", "gone"]))
    }
  }

  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `stores a new object once if it is inserted again after a rollback`(
    store: EveryStore,
    fate: Doubts.Fate
  ) throws {
    let place = try DoubtfulPlace(store)
    let crate = Consignment("a")
    place.context.insert(crate)
    place.saveInDoubt(fate)
    place.context.rollback()
    crate.weight = 7
    place.context.insert(crate)
    try place.saveAgain()
    #expect(try place.stored() == ["a 7 -"])
  }

  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `is discarded by a reset, and a fetch returns the stored state`(
    store: EveryStore,
    fate: Doubts.Fate
  ) throws {
    let place = try DoubtfulPlace(store)
    place.context.insert(Consignment("a"))
    place.saveInDoubt(fate)
    place.context.reset()
    try place.context.save()
    let found = try place.context.fetch(FetchDescriptor<Consignment>())
    #expect(found.count == (fate == .saved ? 1 : 0))
  }

  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `is resolved before a fetch, which returns the same objects`(
    store: EveryStore,
    fate: Doubts.Fate
  ) throws {
    let place = try DoubtfulPlace(store)
    let consignment = Consignment("a")
    place.context.insert(consignment)
    place.saveInDoubt(fate)
    consignment.weight = 2
    place.doubts.recover()
    let found = try place.context.fetch(FetchDescriptor<Consignment>())
    #expect(found.count == 1 && found.first === consignment)
    #expect(consignment.persistentModelID.isTemporary == (fate == .lost))
    #expect(place.context.hasChanges)
    try place.context.save()
    #expect(try place.stored() == ["a 2 -"])
  }

  @Test(arguments: EveryStore.allCases)
  func `posts its notification once it is resolved`(store: EveryStore) throws {
    let place = try DoubtfulPlace(store)
    place.context.insert(Consignment("a"))
    place.saveInDoubt(.saved)
    nonisolated(unsafe) var announced: [Int] = []
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: place.context,
      queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
      announced.append((notification.userInfo?[key] as? [PersistentIdentifier])?.count ?? -1)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try place.saveAgain()
    #expect(announced == [1])
  }
}

@Suite("A save with an unknown outcome that the store does not record")
struct UnaccountedSaveTests {
  private func place(
    _ store: EveryStore,
    _ fate: Doubts.Fate,
    _ change: (ModelContext, Consignment, Consignment) -> Void
  ) throws -> DoubtfulPlace {
    let place = try DoubtfulPlace(store)
    let (first, second) = (Consignment("a"), Consignment("b"))
    place.context.insert(first)
    place.context.insert(second)
    try place.context.save()
    change(place.context, first, second)
    place.doubts.begin(fate, keepsAccount: false)
    return place
  }

  @Test(arguments: EveryStore.allCases, Doubts.Fate.allCases)
  func `is resolved by the rows that it changes or deletes`(
    store: EveryStore,
    fate: Doubts.Fate
  ) throws {
    let place = try place(store, fate) { context, first, second in
      first.weight = 3
      context.delete(second)
    }
    if fate == .lost {
      #expect(throws: DataStoreError.notSaved) { try place.context.save() }
    }
    try place.context.save()
    #expect(!place.context.hasChanges)
    #expect(try place.stored() == ["a 3 -"])
  }

  @Test(arguments: EveryStore.allCases)
  func `is not saved if its changes are absent, even with new rows`(
    store: EveryStore
  ) throws {
    let place = try place(store, .lost) { context, first, _ in
      first.weight = 3
      context.insert(Consignment("c"))
    }
    #expect(throws: DataStoreError.notSaved) { try place.context.save() }
    try place.context.save()
    #expect(try place.stored() == ["a 3 -", "b 1 -", "c 1 -"])
  }

  @Test(arguments: EveryStore.allCases)
  func `with only new rows stays unknown until a reset`(store: EveryStore) throws {
    let place = try place(store, .saved) { context, _, _ in context.insert(Consignment("c")) }
    #expect(throws: DataStoreError.outcomeUnknown) { try place.context.save() }
    #expect(throws: DataStoreError.outcomeUnknown) { try place.context.save() }
    place.context.reset()
    try place.context.save()
    #expect(try place.stored() == ["a 1 -", "b 1 -", "c 1 -"])
  }
}
