import ModelLayer
import Testing

@Suite("Contexts of one container")
struct ContextsSideBySideTests {
  @Test func `see each other's saves at the next fetch`() throws {
    let container = try makeContainer()
    let here = ModelContext(container)
    let there = ModelContext(container)
    let trip = Trip(name: "Alps")
    trip.bucketList = [BucketListItem("ski")]
    here.insert(trip)
    try here.save()
    let mirrored = try #require(try there.all(Trip.self).first)
    #expect(mirrored.bucketList.count == 1)
    trip.name = "Andes"
    trip.bucketList.append(BucketListItem("hike"))
    try here.save()
    #expect(try there.all(Trip.self).first === mirrored)
    #expect(mirrored.name == "Andes")
    #expect(mirrored.bucketList.map(\.title) == ["ski", "hike"])
  }

  @Test func `keep their own unsaved changes`() throws {
    let container = try makeContainer()
    let here = ModelContext(container)
    let there = ModelContext(container)
    here.insert(Trip(name: "Alps", destination: "Bern"))
    try here.save()
    let mine = try #require(try here.all(Trip.self).first)
    let theirs = try #require(try there.all(Trip.self).first)
    theirs.destination = "Rome"
    try there.save()
    mine.name = "Andes"
    #expect(try here.all(Trip.self).first?.name == "Andes")
    try here.save()
    let last = try #require(try ModelContext(container).all(Trip.self).first)
    #expect(last.name == "Andes")
    #expect(last.destination == "Rome")
  }

  @Test func `work in many tasks at once`() async throws {
    let container = try makeContainer()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          let context = ModelContext(container)
          for number in 0..<25 {
            context.insert(Trip(name: "\(task)-\(number)"))
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let names = try ModelContext(container).all(Trip.self).map(\.name)
    #expect(Set(names).count == 100)
    #expect(names.count == 100)
  }

  @Test func `run in actors off the main thread`() async throws {
    let container = try makeContainer()
    let worker = Worker(modelContainer: container)
    let identifier = try await worker.add("Alps")
    #expect(await worker.name(of: identifier) == "Alps")
    #expect(await worker.isOnMainThread == false)
    #expect(try ModelContext(container).all(Trip.self).map(\.name) == ["Alps"])
  }

  @MainActor
  @Test func `a container has one main context`() throws {
    let container = try makeContainer()
    #expect(container.mainContext === container.mainContext)
    #expect(container.mainContext.autosaveEnabled)
    #expect(container.mainContext.container == container)
  }

  @MainActor
  @Test func `a container is released after its main context was used`() throws {
    weak var container: ModelContainer?
    try {
      let made = try makeContainer()
      made.mainContext.insert(Trip(name: "Alps"))
      container = made
    }()
    #expect(container == nil)
  }

  @MainActor
  @Test func `the main context saves automatically`() async throws {
    let container = try makeContainer()
    let context = container.mainContext
    await withCheckedContinuation { (saved: CheckedContinuation<Void, Never>) in
      let once = Once(saved)
      _ = NotificationCenter.default.addObserver(
        forName: ModelContext.didSave,
        object: context,
        queue: nil
      ) { _ in once.resume() }
      context.insert(Trip(name: "Alps"))
      context.insert(Trip(name: "Andes"))
    }
    #expect(try ModelContext(container).all(Trip.self).map(\.name) == ["Alps", "Andes"])
  }

  @Test func `an actor on the main context takes turns with the main actor`() async throws {
    let container = try makeContainer()
    let store = await MainWorker(container)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask { try await store.add("actor \(number)") }
        group.addTask { @MainActor in
          container.mainContext.insert(Trip(name: "main \(number)"))
          try container.mainContext.save()
        }
      }
      try await group.waitForAll()
    }
    #expect(Set(try ModelContext(container).all(Trip.self).map(\.name)).count == 200)
    #expect(try ModelContext(container).all(Trip.self).count == 200)
  }
}

/// Resumes a continuation once.
private final class Once: @unchecked Sendable {
  // Unchecked: used only on the main actor.
  private var continuation: CheckedContinuation<Void, Never>?

  init(_ continuation: CheckedContinuation<Void, Never>) {
    self.continuation = continuation
  }

  func resume() {
    continuation?.resume()
    continuation = nil
  }
}

@ModelActor
actor Worker {
  func add(_ name: String) throws -> PersistentIdentifier {
    let trip = Trip(name: name)
    modelContext.insert(trip)
    try modelContext.save()
    return trip.persistentModelID
  }

  func name(of identifier: PersistentIdentifier) -> String? {
    self[identifier, as: Trip.self]?.name
  }

  var isOnMainThread: Bool { Thread.isMainThread }
}

/// An actor that shares the context of the main actor.
actor MainWorker: ModelActor {
  nonisolated let modelExecutor: any ModelExecutor
  nonisolated let modelContainer: ModelContainer

  @MainActor init(_ container: ModelContainer) {
    modelExecutor = DefaultSerialModelExecutor(modelContext: container.mainContext)
    modelContainer = container
  }

  func add(_ name: String) throws {
    MainActor.assertIsolated("An actor on the main context runs on the main queue.")
    modelContext.insert(Trip(name: name))
    try modelContext.save()
  }
}
