import Foundation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@testable import ModelLayer

@Suite("autosave", .timeLimit(.minutes(30)))
struct AutosaveTests {
  @MainActor
  @Test(arguments: EveryStore.withTextKeys)
  func `saves all changes of the main context at the next turn`(
    kind: EveryStore
  ) async throws {
    let fixture = try ContainerFixture(kind, for: DiaryEntry.self, DiaryPage.self)
    let container = try fixture.open()
    let context = container.mainContext
    let saved = Awaited(ModelContext.didSave, of: context)
    let count = SaveCount(of: context)
    let entry = DiaryEntry("one")
    context.insert(entry)
    entry.text = "changed"
    context.insert(DiaryEntry("two"))
    #expect(try container.savedTexts() == [])
    await saved.next()
    #expect(try container.savedTexts() == ["changed", "two"])
    #expect(!context.hasChanges)
    #expect(count.value == 1)
    entry.text = "again"
    await saved.next()
    #expect(try container.savedTexts() == ["again", "two"])
  }

  @MainActor
  @Test func `saves a context that was created on the main actor`() async throws {
    let fixture = try ContainerFixture(.memory, for: DiaryEntry.self, DiaryPage.self)
    let container = try fixture.open()
    let context = ModelContext(container)
    #expect(!context.autosaveEnabled)
    context.insert(DiaryEntry("before"))
    let saved = Awaited(ModelContext.didSave, of: context)
    context.autosaveEnabled = true
    await saved.next()
    #expect(try container.savedTexts() == ["before"])
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `saves a model actor's context at the actor's next turn`(kind: EveryStore) async throws {
    let fixture = try ContainerFixture(kind, for: DiaryEntry.self, DiaryPage.self)
    let container = try fixture.open()
    let scribe = Scribe(modelContainer: container)
    let saved = await scribe.write(["one", "two"])
    #expect(await saved.next() == ())
    #expect(await scribe.isClean)
    #expect(try container.savedTexts() == ["one", "two"])
  }

  @Test func `saves an actor's context at its next turn once the actor enables it`()
    async throws
  {
    let fixture = try ContainerFixture(.memory, for: DiaryEntry.self, DiaryPage.self)
    let container = try fixture.open()
    let copyist = Copyist(container)
    let saved = await copyist.write("one")
    await saved.next()
    #expect(try container.savedTexts() == ["one"])
  }

  @Test func `saves the context of a model actor with a custom executor`() async throws {
    let fixture = try ContainerFixture(.memory, for: DiaryEntry.self, DiaryPage.self)
    let container = try fixture.open()
    let saved = await Keeper(container).write("one")
    await saved.next()
    #expect(try container.savedTexts() == ["one"])
  }

  @Test func `saves a nonisolated context before a call if changes have waited`() throws {
    let fixture = try ContainerFixture(.memory, for: DiaryEntry.self, DiaryPage.self)
    let container = try fixture.open()
    let context = ModelContext(container)
    context.autosaveEnabled = true
    context.state.autosave.patience = .seconds(100_000)
    context.insert(DiaryEntry("one"))
    _ = try context.fetchCount(FetchDescriptor<DiaryEntry>())
    #expect(try container.savedTexts() == [])
    context.state.autosave.patience = .zero
    context.insert(DiaryEntry("two"))
    #expect(try container.savedTexts() == ["one"])
    _ = try context.fetch(FetchDescriptor<DiaryEntry>())
    #expect(try container.savedTexts() == ["one", "two"])
  }

  @Test func `does not run inside a transaction`() throws {
    let fixture = try ContainerFixture(.memory, for: DiaryEntry.self, DiaryPage.self)
    let container = try fixture.open()
    let context = ModelContext(container)
    context.autosaveEnabled = true
    context.state.autosave.patience = .zero
    #expect(throws: CancellationError.self) {
      try context.transaction {
        context.insert(DiaryEntry("one"))
        context.insert(DiaryEntry("two"))
        throw CancellationError()
      }
    }
    #expect(try container.savedTexts() == [])
    #expect(!context.hasChanges)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `saves a released context only if it is enabled`(
    kind: EveryStore
  ) throws {
    let fixture = try ContainerFixture(kind, for: DiaryEntry.self, DiaryPage.self)
    let container = try fixture.open()
    for isEnabled in [true, false] {
      let context = ModelContext(container)
      context.autosaveEnabled = isEnabled
      context.insert(DiaryEntry("\(isEnabled)"))
    }
    #expect(try container.savedTexts() == ["true"])
  }

  @MainActor
  @Test func `saves the main context if its container is released on another thread`() async throws
  {
    let folder = try TemporaryFolder()
    let url = EveryStore.sqlite.url(in: folder)
    let entry = DiaryEntry("kept")
    let log = SaveActorLog()
    let last = try Self.inserted(entry, url: url)
    await Task.detached { last.release() }.value
    // The work that the release of the container scheduled on the main actor runs before this.
    await Self.turn()
    let container = try ModelContainer(for: Schema([DiaryEntry.self, DiaryPage.self]), store: url)
    #expect(try container.savedTexts() == ["kept"])
    #expect(log.wereOnMainActor(for: entry.persistentModelID) == [true])
  }

  @MainActor
  private static func inserted(_ entry: DiaryEntry, url: String) throws -> LastReference {
    let container = try ModelContainer(
      for: Schema([DiaryEntry.self, DiaryPage.self]),
      store: url
    )
    // The turn that autosave schedules must not save.
    container.mainContext.autosaveEnabled = false
    container.mainContext.insert(entry)
    container.mainContext.state.autosaveEnabled = true
    return LastReference(container)
  }

  @MainActor
  private static func turn() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }

  @MainActor
  @Test func `does nothing if nothing changed`() async throws {
    let fixture = try ContainerFixture(.memory, for: DiaryEntry.self, DiaryPage.self)
    let context = try fixture.open().mainContext
    let count = SaveCount(of: context)
    let entry = DiaryEntry("one")
    context.insert(entry)
    context.delete(entry)
    await Self.turn()
    #expect(count.value == 0)
  }

  @MainActor
  @Test func `does not retain its context while it is scheduled`() async throws {
    let fixture = try ContainerFixture(.memory, for: DiaryEntry.self, DiaryPage.self)
    weak var state: ContextState?
    let container = try fixture.open()
    do {
      let context = ModelContext(container)
      context.autosaveEnabled = true
      context.insert(DiaryEntry("one"))
      state = context.state
    }
    #expect(state == nil)
    await Self.turn()
    #expect(try container.savedTexts() == ["one"])
  }
}

@ModelActor
private actor Scribe {
  func write(_ texts: [String]) -> Awaited {
    modelContext.autosaveEnabled = true
    let saved = Awaited(ModelContext.didSave, of: modelContext)
    for text in texts { modelContext.insert(DiaryEntry(text)) }
    return saved
  }

  var isClean: Bool { !modelContext.hasChanges }
}

private actor Copyist {
  private let context: ModelContext

  init(_ container: ModelContainer) {
    context = ModelContext(container)
  }

  func write(_ text: String) -> Awaited {
    context.enableAutosave()
    context.insert(DiaryEntry(text))
    return Awaited(ModelContext.didSave, of: context)
  }
}

private actor Keeper: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor

  init(_ container: ModelContainer) {
    modelContainer = container
    modelExecutor = PlainExecutor(ModelContext(container))
  }

  func write(_ text: String) -> Awaited {
    modelContext.autosaveEnabled = true
    modelContext.insert(DiaryEntry(text))
    return Awaited(ModelContext.didSave, of: modelContext)
  }
}

/// A custom executor that contexts do not recognize.
private final class PlainExecutor: SerialModelExecutor, @unchecked Sendable {
  // Unchecked: the context is used only on the executor's own queue.
  let modelContext: ModelContext
  private let queue = DispatchQueue(label: "PlainExecutor")

  init(_ modelContext: ModelContext) {
    self.modelContext = modelContext
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let work = UnownedJob(job)
    queue.async { work.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}

/// Counts the saves of a context.
private final class SaveCount: @unchecked Sendable {
  // Unchecked: used only in the context's isolation.
  private(set) var value = 0
  private var observer: (any NSObjectProtocol)?

  init(of context: ModelContext) {
    observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { [weak self] _ in self?.value += 1 }
  }

  deinit { observer.map(NotificationCenter.default.removeObserver) }
}

/// Records on which actor the saves of released contexts run.
private final class SaveActorLog: Sendable {
  private let saves = Mutex<[(inserted: [PersistentIdentifier], isOnMainActor: Bool)]>([])
  // Set only by the initializer, and read only by the deinitializer.
  private nonisolated(unsafe) var observer: (any NSObjectProtocol)?

  init() {
    let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
    observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: nil,
      queue: nil
    ) { [weak self] note in
      guard let inserted = note.userInfo?[key] as? [PersistentIdentifier] else { return }
      let isOnMainActor = ContextIsolation.mainActor.isHere
      self?.saves.withLock { $0.append((inserted, isOnMainActor)) }
    }
  }

  deinit { observer.map(NotificationCenter.default.removeObserver) }

  /// Returns whether each save that inserted an object ran on the main actor.
  func wereOnMainActor(for identifier: PersistentIdentifier) -> [Bool] {
    saves.withLock { $0 }.filter { $0.inserted.contains(identifier) }.map(\.isOnMainActor)
  }
}

/// The last reference to a container, released on any thread.
private final class LastReference: @unchecked Sendable {
  // Unchecked: one task creates it, and waits for another that releases the container.
  private var container: ModelContainer?

  init(_ container: ModelContainer) {
    self.container = container
  }

  func release() { container = nil }
}
