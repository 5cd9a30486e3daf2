import Foundation
import OpenSwiftData
import Testing

/// Several bulk changes in one save, and saves of others between a bulk change and its save.
@Suite("Bulk changes") struct BulkSequenceTests {
  @Test(arguments: HarborStore.available, [false, true])
  func `in one save are checked together`(store: HarborStore, isRegistered: Bool) throws {
    let orders: [(ModelContext) throws -> Void] = [
      { context in
        try context.delete(model: Warden.self)
        try context.delete(model: Permit.self)
        try context.delete(model: Quay.self)
      },
      { context in
        try context.delete(model: Quay.self)
        try context.delete(model: Warden.self)
        try context.delete(model: Permit.self)
      },
    ]
    for delete in orders {
      let harbor = try HarborFixture(store)
      let quay = Quay(1)
      try harbor.save(quay, Warden(2, quay), Permit(3, quay))
      if isRegistered { try harbor.register(Warden.self) }
      try delete(harbor.here)
      try harbor.here.save()
      #expect(try harbor.stored(Quay.self) == [])
      #expect(try harbor.stored(Warden.self) == [])
      #expect(try harbor.stored(Permit.self) == [])
    }
  }

  @Test(arguments: HarborStore.available, [false, true])
  func `are refused if a rule still forbids one after all of them`(
    store: HarborStore,
    isRegistered: Bool
  ) throws {
    let harbor = try HarborFixture(store)
    let quay = Quay(1)
    try harbor.save(quay, Warden(2, quay), Warden(4, quay), Permit(3, quay), Mooring(5, quay))
    if isRegistered { try harbor.register(Warden.self) }
    func expectRefusal(_ changes: (ModelContext) throws -> Void) throws {
      #expect(throws: (any Error).self) {
        try changes(harbor.here)
        try harbor.here.save()
      }
      harbor.here.rollback()
      #expect(try harbor.stored(Quay.self).count == 1)
      #expect(try harbor.stored(Warden.self).count == 2)
    }
    try expectRefusal { context in
      try context.delete(model: Quay.self)
      try context.delete(model: Warden.self, where: #Predicate { $0.number == 2 })
      try context.delete(model: Permit.self)
      try context.delete(model: Mooring.self)
    }
    try expectRefusal { context in
      try context.delete(model: Quay.self)
      try context.delete(model: Warden.self)
      try context.delete(model: Mooring.self)
    }
    try expectRefusal { context in
      try context.delete(model: Quay.self)
      try context.delete(model: Warden.self)
      try context.delete(model: Permit.self)
    }
  }

  @Test(arguments: HarborStore.available, [false, true])
  func `concern the objects that match when they are made`(
    store: HarborStore,
    isRegistered: Bool
  ) throws {
    let harbor = try HarborFixture(store)
    try harbor.save(Beacon(1), Beacon(2), Beacon(9))
    if isRegistered { try harbor.register(Beacon.self) }
    try harbor.here.delete(model: Beacon.self, where: #Predicate { $0.number < 5 })
    harbor.there.insert(Beacon(3))
    try harbor.find(Beacon.self, 2, in: harbor.there)?.number = 8
    try harbor.find(Beacon.self, 9, in: harbor.there)?.number = 4
    try harbor.there.save()
    try harbor.here.save()
    #expect(try harbor.stored(Beacon.self) == ["3 weighs 0", "4 weighs 0"])
  }

  @Test(arguments: HarborStore.available, [false, true])
  func `set values computed when they are made`(store: HarborStore, isRegistered: Bool) throws {
    let harbor = try HarborFixture(store)
    try harbor.save(Beacon(1), Beacon(2), Beacon(9))
    if isRegistered { try harbor.register(Beacon.self) }
    let changes: [(to: PropertyUpdate<Beacon>, values: [String])] = [
      (.set(\.weight, to: 7), ["1 weighs 7", "4 weighs 2", "8 weighs 7"]),
      (
        .set(\.weight, to: #Expression { $0.weight + 1 }),
        ["1 weighs 1", "4 weighs 2", "8 weighs 1"]
      ),
    ]
    for change in changes {
      for beacon in try harbor.there.fetch(FetchDescriptor<Beacon>()) { beacon.weight = 0 }
      try harbor.there.save()
      let count = try harbor.here.update(
        model: Beacon.self,
        where: #Predicate { $0.number == 1 || $0.number == 2 },
        set: change.to
      )
      #expect(count == 2)
      try harbor.find(Beacon.self, 2, in: harbor.there)?.number = 8
      try harbor.find(Beacon.self, 9, in: harbor.there)?.number = 4
      for beacon in try harbor.there.fetch(FetchDescriptor<Beacon>()) { beacon.weight = 2 }
      try harbor.there.save()
      try harbor.here.save()
      #expect(try harbor.stored(Beacon.self) == change.values)
      try harbor.find(Beacon.self, 8, in: harbor.there)?.number = 2
      try harbor.find(Beacon.self, 4, in: harbor.there)?.number = 9
      try harbor.there.save()
    }
  }

  @Test(arguments: HarborStore.available, [false, true])
  func `of objects that another context deletes are a conflict`(
    store: HarborStore,
    isRegistered: Bool
  ) throws {
    let harbor = try HarborFixture(store)
    try harbor.save(Beacon(1), Beacon(2))
    if isRegistered { try harbor.register(Beacon.self) }
    let changes: [PropertyUpdate<Beacon>] = [
      .set(\.weight, to: 7), .set(\.weight, to: #Expression { $0.weight + 1 }),
    ]
    for (number, change) in changes.enumerated() {
      #expect(try harbor.here.update(model: Beacon.self, set: change) == 2 - number)
      let first = try #require(try harbor.find(Beacon.self, number + 1, in: harbor.there))
      harbor.there.delete(first)
      try harbor.there.save()
      let error = #expect(throws: DataStoreError.self) { try harbor.here.save() }
      #expect(error == .conflict)
      harbor.here.rollback()
    }
    #expect(try harbor.stored(Beacon.self) == [])
  }

  /// OSD_SEED=611, program 611001972.
  @Test(arguments: HarborStore.available, [false, true])
  func `need nothing of objects that another context deletes`(
    store: HarborStore,
    isRegistered: Bool
  ) throws {
    let deletions: [(ModelContext, Quay) throws -> Void] = [
      { context, _ in try context.delete(model: Quay.self) },
      { context, quay in context.delete(quay) },
    ]
    for delete in deletions {
      let harbor = try HarborFixture(store)
      let quay = Quay(1)
      try harbor.save(quay, Warden(2, quay))
      if isRegistered { try harbor.register(Warden.self) }
      try delete(harbor.here, #require(try harbor.find(Quay.self, 1, in: harbor.here)))
      // The rules are applied before this fetch.
      #expect(try harbor.here.fetch(FetchDescriptor<Mooring>()).isEmpty)
      harbor.there.delete(try #require(try harbor.find(Warden.self, 2, in: harbor.there)))
      try harbor.there.save()
      try harbor.here.save()
      #expect(try harbor.stored(Quay.self) == [])
      #expect(try harbor.stored(Warden.self) == [])
    }
  }

  @Test(arguments: HarborStore.available)
  func `leave the program's own changes of deleted objects a conflict`(
    store: HarborStore
  ) throws {
    let harbor = try HarborFixture(store)
    let (former, quay) = (Quay(1), Quay(2))
    try harbor.save(former, quay, Warden(3, former))
    let warden = try #require(try harbor.find(Warden.self, 3, in: harbor.here))
    let new = try #require(try harbor.find(Quay.self, 2, in: harbor.here))
    warden.quay = new
    harbor.here.delete(new)
    #expect(try harbor.here.fetch(FetchDescriptor<Mooring>()).isEmpty)
    harbor.there.delete(try #require(try harbor.find(Warden.self, 3, in: harbor.there)))
    try harbor.there.save()
    #expect(throws: (any Error).self) { try harbor.here.save() }
    #expect(try harbor.stored(Quay.self).count == 2)
  }

  @Test(arguments: HarborStore.available, [false, true])
  func `follow a merge policy that compares versions`(
    store: HarborStore,
    isRegistered: Bool
  ) throws {
    let harbor = try HarborFixture(store)
    try harbor.save(Beacon(1))
    harbor.here.mergePolicy = .error
    if isRegistered { try harbor.register(Beacon.self) }
    let changes: [(ModelContext) throws -> Void] = [
      { try $0.delete(model: Beacon.self) },
      { try $0.update(model: Beacon.self, set: .set(\.weight, to: 5)) },
    ]
    for (weight, change) in changes.enumerated() {
      try change(harbor.here)
      try harbor.find(Beacon.self, 1, in: harbor.there)?.weight = weight + 1
      try harbor.there.save()
      let error = #expect(throws: DataStoreError.self) { try harbor.here.save() }
      #expect(error == .conflict)
      harbor.here.rollback()
      #expect(try harbor.stored(Beacon.self) == ["1 weighs \(weight + 1)"])
    }
  }
}
