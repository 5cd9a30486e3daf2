import ModelLayer
import Testing

@Suite("A context")
struct ContextTests {
  @Test func `saves a new object that another context can fetch`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    context.insert(Trip(name: "Alps", destination: "Zermatt"))
    #expect(context.hasChanges)
    try context.save()
    #expect(!context.hasChanges)

    let fetched = try ModelContext(container).all(Trip.self)
    #expect(fetched.map(\.name) == ["Alps"])
    #expect(fetched.map(\.destination) == ["Zermatt"])
  }

  @Test func `replaces temporary identifiers by permanent ones at a save`() throws {
    let context = ModelContext(try makeContainer())
    let trip = Trip(name: "Alps")
    let before = trip.persistentModelID
    #expect(before.isTemporary)
    #expect(before == trip.persistentModelID)
    context.insert(trip)
    #expect(trip.persistentModelID == before)
    let registered: Trip? = context.registeredModel(for: before)
    #expect(registered === trip)
    try context.save()
    #expect(!trip.persistentModelID.isTemporary)
    #expect(trip.persistentModelID.storeIdentifier != nil)
    let after: Trip? = context.registeredModel(for: trip.persistentModelID)
    #expect(after === trip)
  }

  @Test func `has one object for each identity`() throws {
    let container = try makeContainer()
    let writer = ModelContext(container)
    writer.insert(Trip(name: "Alps"))
    try writer.save()
    let context = ModelContext(container)
    let first = try context.all(Trip.self)
    let second = try context.all(Trip.self)
    #expect(first.count == 1)
    #expect(first.first === second.first)
    let same = context.model(for: try #require(first.first).persistentModelID)
    #expect(same === first.first)
  }

  @Test func `lists inserted, changed and deleted objects until the save`() throws {
    let context = ModelContext(try makeContainer())
    let kept = Trip(name: "kept")
    let gone = Trip(name: "gone")
    context.insert(kept)
    context.insert(gone)
    #expect(context.insertedModelsArray.map(\.persistentModelID).count == 2)
    try context.save()
    kept.destination = "Rome"
    context.delete(gone)
    context.insert(Trip(name: "new"))
    #expect(context.insertedModelsArray.count == 1)
    #expect(context.changedModelsArray.first === kept)
    #expect(context.deletedModelsArray.first === gone)
    #expect(kept.hasChanges)
    try context.save()
    #expect(context.insertedModelsArray.isEmpty)
    #expect(context.changedModelsArray.isEmpty)
    #expect(context.deletedModelsArray.isEmpty)
    #expect(try context.all(Trip.self).map(\.name) == ["kept", "new"])
  }

  @Test func `discards a new object that is deleted before the save`() throws {
    let context = ModelContext(try makeContainer())
    let trip = Trip(name: "Alps")
    context.insert(trip)
    context.delete(trip)
    #expect(!context.hasChanges)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    #expect(trip.modelContext == nil)
    #expect(trip.name == "Alps")
  }

  @Test func `rolls back to the last save`() throws {
    let context = ModelContext(try makeContainer())
    let trip = Trip(name: "Alps")
    trip.bucketList = [BucketListItem("ski")]
    context.insert(trip)
    try context.save()
    trip.name = "Andes"
    trip.name = "Atlas"
    trip.bucketList = []
    let other = Trip(name: "other")
    context.insert(other)
    context.delete(trip)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(trip.name == "Alps")
    #expect(trip.bucketList.map(\.title) == ["ski"])
    #expect(trip.bucketList.first?.trip === trip)
    #expect(!trip.isDeleted)
    #expect(other.modelContext == nil)
    try context.save()
    #expect(try context.all(Trip.self).map(\.name) == ["Alps"])
  }

  @Test func `saves a transaction, and rolls back one that throws`() throws {
    struct Stop: Error {}
    let context = ModelContext(try makeContainer())
    try context.transaction { context.insert(Trip(name: "one")) }
    #expect(!context.hasChanges)
    #expect(throws: Stop.self) {
      try context.transaction {
        context.insert(Trip(name: "two"))
        throw Stop()
      }
    }
    #expect(!context.hasChanges)
    #expect(try context.all(Trip.self).map(\.name) == ["one"])
  }

  @Test func `enumerates in batches, and refuses escaping mutations`() throws {
    let context = ModelContext(try makeContainer())
    for index in 0..<25 { context.insert(Trip(name: "trip \(index)")) }
    try context.save()
    var seen: [String] = []
    try context.enumerate(FetchDescriptor<Trip>(), batchSize: 10) { seen.append($0.name) }
    #expect(seen == (0..<25).map { "trip \($0)" })
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.enumerate(FetchDescriptor<Trip>(), batchSize: 10) { $0.destination = "x" }
    }
    context.rollback()
    try context.enumerate(FetchDescriptor<Trip>(), batchSize: 10, allowEscapingMutations: true) {
      $0.destination = "x"
    }
    try context.save()
    #expect(try ModelContext(context.container).all(Trip.self).allSatisfy { $0.destination == "x" })
  }

  @Test func `fetches objects and identifiers in batches`() throws {
    let context = ModelContext(try makeContainer())
    for index in 0..<25 { context.insert(Trip(name: "trip \(index)")) }
    try context.save()
    let batched = try context.fetch(FetchDescriptor<Trip>(), batchSize: 7)
    #expect(batched.count == 25)
    #expect(batched.map(\.name) == (0..<25).map { "trip \($0)" })
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Trip>(), batchSize: 7)
    #expect(Array(identifiers) == batched.map(\.persistentModelID))
    context.insert(Trip(name: "pending"))
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetch(FetchDescriptor<Trip>(), batchSize: 7)
    }
  }

  @Test func `loads a batch when its first object is accessed`() throws {
    let writer = ModelContext(try makeContainer())
    for index in 0..<25 { writer.insert(Trip(name: "trip \(index)")) }
    try writer.save()
    let identifiers = try writer.fetchIdentifiers(FetchDescriptor<Trip>())
    let context = ModelContext(writer.container)
    var loaded: [Int] {
      identifiers.indices.filter { index in
        let trip: Trip? = context.registeredModel(for: identifiers[index])
        return trip != nil
      }
    }
    let batched = try context.fetch(FetchDescriptor<Trip>(), batchSize: 7)
    #expect(batched.count == 25 && loaded == [])
    #expect(batched[24].name == "trip 24")
    #expect(loaded == Array(21..<25))
    #expect(batched[8].name == "trip 8")
    #expect(loaded == Array(7..<14) + Array(21..<25))
  }

  @Test func `marks objects of a batch as deleted if their rows were deleted`() throws {
    let container = try makeContainer()
    let writer = ModelContext(container)
    for index in 0..<5 { writer.insert(Trip(name: "trip \(index)")) }
    try writer.save()
    let batched = try ModelContext(container).fetch(FetchDescriptor<Trip>(), batchSize: 2)
    let all = try writer.all(Trip.self)
    writer.delete(all[1])
    try writer.save()
    #expect(batched.map(\.isDeleted) == [false, true, false, false, false])
    #expect(batched.map(\.name) == ["trip 0", "", "trip 2", "trip 3", "trip 4"])
    #expect(batched[1].persistentModelID == batched[1].id)
  }

  @Test func `posts notifications with the identifiers of a save`() throws {
    let context = ModelContext(try makeContainer())
    let trip = Trip(name: "Alps")
    context.insert(trip)
    let log = NotificationLog(context)
    try context.save()
    #expect(log.willSaves == 1)
    #expect(log.inserted == [[trip.persistentModelID]])
    trip.name = "Andes"
    try context.save()
    #expect(log.updated.last == [trip.persistentModelID])
    context.delete(trip)
    let identifier = trip.persistentModelID
    try context.save()
    #expect(log.deleted.last == [identifier])
    try context.save()
    #expect(log.willSaves == 3)
  }

  @Test func `keeps its container's stores open`() throws {
    let context: ModelContext = try {
      let container = try makeContainer()
      return ModelContext(container)
    }()
    context.insert(Trip(name: "Alps"))
    try context.save()
    #expect(try ModelContext(context.container).all(Trip.self).count == 1)
  }

  @Test func `refuses models that the schema lacks`() throws {
    let container = try ModelContainer(
      for: Schema(Node.self),
      configurations: [MemoryFixture.configuration()]
    )
    let context = ModelContext(container)
    context.insert(Trip(name: "Alps"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<Trip>()) }
  }

  @Test func `posts notifications that a loop receives`() async throws {
    let context = ModelContext(try makeContainer())
    let saves = NotificationCenter.default.notifications(
      named: ModelContext.didSave,
      object: context
    )
    let trips = ["Alps", "Andes"].map { Trip(name: $0) }
    for trip in trips {
      context.insert(trip)
      try context.save()
    }
    var inserted: [PersistentIdentifier] = []
    for await save in saves {
      let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
      inserted += try #require(save.userInfo?[key] as? [PersistentIdentifier])
      if inserted.count == 2 { break }
    }
    #expect(inserted == trips.map(\.persistentModelID))
  }
}

/// Records the notifications of a context.
private final class NotificationLog: @unchecked Sendable {
  // Unchecked: notifications are posted on the thread that saves, which is that of the test.
  var willSaves = 0
  var inserted: [[PersistentIdentifier]] = []
  var updated: [[PersistentIdentifier]] = []
  var deleted: [[PersistentIdentifier]] = []

  init(_ context: ModelContext) {
    let center = NotificationCenter.default
    _ = center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) {
      [weak self] _ in self?.willSaves += 1
    }
    _ = center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      [weak self] note in
      self?.inserted.append(Self.list(.insertedIdentifiers, note))
      self?.updated.append(Self.list(.updatedIdentifiers, note))
      self?.deleted.append(Self.list(.deletedIdentifiers, note))
    }
  }

  private static func list(
    _ key: ModelContext.NotificationKey,
    _ note: Notification
  ) -> [PersistentIdentifier] {
    note.userInfo?[key.rawValue] as? [PersistentIdentifier] ?? []
  }
}
