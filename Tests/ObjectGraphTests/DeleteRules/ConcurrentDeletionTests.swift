import OpenSwiftData
import Testing

/// Delete rules and required relationships while another context saves at the same time.
@Suite("A deletion and a save of another context") struct ConcurrentDeletionTests {
  /// Deletes an object of `here` before `there` saves, and returns the error of the deletion.
  private func deletion<T: HarborItem>(
    of type: T.Type,
    in harbor: HarborFixture,
    while save: (ModelContext) throws -> Void
  ) throws -> (any Error)? {
    let object = try #require(try harbor.find(type, 1, in: harbor.here))
    harbor.here.delete(object)
    // The rules are applied to what is stored now.
    #expect(try harbor.here.fetchCount(FetchDescriptor<T>()) == 0)
    try save(harbor.there)
    try harbor.there.save()
    do {
      try harbor.here.save()
      return nil
    } catch {
      #expect(harbor.here.hasChanges)
      return error
    }
  }

  @Test(arguments: HarborStore.available)
  func `keep what the rule denies`(store: HarborStore) throws {
    let harbor = try HarborFixture(store)
    try harbor.save(Quay(1))
    let error = try deletion(of: Quay.self, in: harbor) { context in
      context.insert(Permit(2, try harbor.find(Quay.self, 1, in: context)))
    }
    let denial = try #require(error as? DataStoreError)
    #expect(denial == .deletionDenied)
    #expect(denial.entity == "Quay" && denial.property == "permits")
    harbor.here.rollback()
    let quay = try #require(try harbor.find(Quay.self, 1, in: ModelContext(harbor.container)))
    #expect(quay.permits.map(\.number) == [2])
  }

  @Test(arguments: HarborStore.available)
  func `keep what another object requires`(store: HarborStore) throws {
    let harbor = try HarborFixture(store)
    let quay = Quay(1)
    try harbor.save(quay, Bale(1, nil))
    for (entity, make) in [
      ("Warden", { Warden(2, $0) }), ("Mooring", { Mooring(2, $0) }),
    ] as [(String, (Quay) -> any PersistentModel)] {
      let error = try deletion(of: Quay.self, in: harbor) { context in
        func insert<T: PersistentModel>(_ object: T) { context.insert(object) }
        insert(make(try #require(try harbor.find(Quay.self, 1, in: context))))
      }
      let failure = try #require(error as? SwiftDataError)
      #expect(failure == .modelValidationFailure)
      #expect(failure.entity == entity && failure.property == "quay")
      harbor.here.rollback()
      try harbor.there.delete(model: Warden.self)
      try harbor.there.save()
    }
    let error = try deletion(of: Bale.self, in: harbor) { context in
      context.insert(Tally(3, try #require(try harbor.find(Bale.self, 1, in: context))))
    }
    let failure = try #require(error as? SwiftDataError)
    #expect(failure == .modelValidationFailure)
    #expect(failure.entity == "Tally" && failure.property == "bale")
    #expect(try harbor.stored(Bale.self).count == 1)
    #expect(try harbor.stored(Quay.self).count == 1)
  }

  @Test(arguments: HarborStore.available)
  func `delete what a cascade would have deleted`(store: HarborStore) throws {
    let harbor = try HarborFixture(store)
    try harbor.save(Quay(1), Bale(2, nil))
    let error = try deletion(of: Quay.self, in: harbor) { context in
      let quay = try harbor.find(Quay.self, 1, in: context)
      try harbor.find(Bale.self, 2, in: context)?.quay = quay
      context.insert(Bale(3, quay))
    }
    #expect(error == nil)
    #expect(!harbor.here.hasChanges)
    #expect(try harbor.stored(Quay.self) == [])
    #expect(try harbor.stored(Bale.self) == [])
  }

  @Test(arguments: HarborStore.available)
  func `keep what an object of a cascade requires`(store: HarborStore) throws {
    let harbor = try HarborFixture(store)
    try harbor.save(Quay(1))
    let error = try deletion(of: Quay.self, in: harbor) { context in
      let bale = Bale(3, try harbor.find(Quay.self, 1, in: context))
      context.insert(bale)
      context.insert(Tally(4, bale))
    }
    #expect((error as? SwiftDataError)?.entity == "Tally")
    #expect(try harbor.stored(Quay.self).count == 1)
    #expect(try harbor.stored(Bale.self).count == 1)
  }

  @Test(arguments: HarborStore.available)
  func `do not relate an object to a deleted one that it requires`(store: HarborStore) throws {
    let harbor = try HarborFixture(store)
    let other = Quay(2)
    try harbor.save(Quay(1), other, Warden(7, other))
    let quay = try #require(try harbor.find(Quay.self, 1, in: harbor.here))
    for isNew in [true, false] {
      if isNew {
        harbor.here.insert(Warden(3, quay))
      } else {
        try harbor.find(Warden.self, 7, in: harbor.here)?.quay = quay
      }
      if isNew {
        let same = try #require(try harbor.find(Quay.self, 1, in: harbor.there))
        harbor.there.delete(same)
        try harbor.there.save()
      }
      let error = #expect(throws: SwiftDataError.self) { try harbor.here.save() }
      #expect(error == .modelValidationFailure)
      #expect(error?.entity == "Warden" && error?.property == "quay")
      harbor.here.rollback()
      if isNew { continue }
    }
    let wardens = try ModelContext(harbor.container).fetch(FetchDescriptor<Warden>())
    #expect(wardens.map(\.quay.number) == [2])
  }

  @Test(arguments: HarborStore.available)
  func `of many threads leave no object without one that it requires`(
    store: HarborStore
  ) async throws {
    let harbor = try HarborFixture(store)
    let container = harbor.container
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<12 {
            let context = ModelContext(container)
            // Each save may be refused; what is stored must agree in any case.
            try? Self.change(context, worker * 100 + round)
          }
        }
      }
    }
    try StoredReferences.check(container)
    guard let store = container.stores.first as? any RecordStore else { return }
    for entity in ["Warden", "Mooring"] {
      for row in try store.fetch(StoreQuery(entity: entity)) {
        #expect(row["quay"]?.isNull == false, "\(row.persistentIdentifier) has a quay")
      }
    }
  }

  /// Deletes a quay, or relates an object to it.
  private static func change(_ context: ModelContext, _ number: Int) throws {
    let quays = try context.fetch(FetchDescriptor<Quay>(sortBy: [SortDescriptor(\.number)]))
    guard let quay = quays.last, number % 3 > 0 else {
      context.insert(Quay(number))
      return try context.save()
    }
    if number % 3 == 1 {
      context.delete(quay)
    } else if number % 2 == 0 {
      context.insert(Warden(number, quay))
    } else {
      context.insert(Mooring(number, quay))
    }
    try context.save()
  }
}
