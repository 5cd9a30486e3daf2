import ComposableStores
import Foundation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@testable import ModelLayer

/// Another process saves and exits; its changes arrive by an event, not after a pause.
@Suite("Observers and other processes", .timeLimit(.minutes(30)))
struct OtherProcessTests {
  private let folder: TemporaryFolder
  private let url: String
  private let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    url = EveryStore.sqlite.url(in: folder)
    container = try emptyContainer(url)
  }

  @Test func `streams deliver the saves of another process`() async throws {
    try container.edit { $0.insert(Trip("ours", days: 5)) }
    var results = container.snapshots(of: tripsByName).makeAsyncIterator()
    #expect(try await results.next()?.map(\.name) == ["ours"])
    await #expect(processExitsWith: .success) { [url = url as String] in
      try emptyContainer(url).edit { $0.insert(Trip("theirs")) }
    }
    #expect(try await results.next()?.map(\.name) == ["ours", "theirs"])
    await #expect(processExitsWith: .success) { [url = url as String] in
      try emptyContainer(url).edit(trip: "ours") { $0.note = "seen" }
    }
    #expect(try await results.next()?.map(\.note) == ["seen", ""])
    await #expect(processExitsWith: .success) { [url = url as String] in
      try emptyContainer(url).edit { try $0.delete(model: Trip.self) }
    }
    #expect(try await results.next()?.isEmpty == true)
  }

  @MainActor
  @Test func `objects of an observed context follow the saves of another process`() async throws {
    try container.edit { $0.insert(Trip("a", days: 5)) }
    let observer = try ResultsObserver(
      fetchDescriptor: .longer(than: 3),
      modelContext: ModelContext(container)
    )
    let trip = try #require(observer.results.first)
    let changed = AsyncStream<Void>.makeStream()
    withObservationTracking {
      _ = trip.note
    } onChange: {
      changed.continuation.yield()
    }
    await #expect(processExitsWith: .success) { [url = url as String] in
      try emptyContainer(url).edit(trip: "a") { $0.note = "theirs" }
    }
    for await _ in changed.stream { break }
    #expect(trip.note == "theirs")
    #expect(observer.results.map(\.name) == ["a"])
  }

  @Test func `saves of another container of the same store are observed and post a notification`()
    async throws
  {
    let identifier = try #require(container.stores.first as? SQLiteStore).identifier
    let notified = AsyncStream<String>.makeStream()
    let token = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange,
      object: nil,
      queue: nil
    ) { note in
      let store = note.userInfo?[ModelContainer.storeIdentifierKey] as? String
      if let store, store == identifier { notified.continuation.yield(store) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let context = ModelContext(container, isolation: nil)
    let observer = try ResultsObserver(fetchDescriptor: tripsByName, modelContext: context)
    try emptyContainer(url).edit { $0.insert(Trip("a")) }
    for await _ in notified.stream { break }
    #expect(observer.results.map(\.name) == ["a"])
  }

  @Test func `a replaced file is an error of all observers until the original file is back`()
    async throws
  {
    try container.edit { $0.insert(Trip("ours", days: 5)) }
    let backup = folder.file("backup")
    try #require(container.stores.first as? any MaintainableStore).backup(to: backup)
    try container.edit { $0.insert(Trip("more", days: 6)) }
    let context = ModelContext(container, isolation: nil)
    let observer = try ResultsObserver(fetchDescriptor: tripsByName, modelContext: context)
    let history = try HistoryObserver(modelContainer: container)
    var stream = container.snapshots(of: tripsByName).makeAsyncIterator()
    #expect(try await stream.next()?.map(\.name) == ["more", "ours"])
    #expect(observer.results.map(\.name) == ["more", "ours"])
    let feed = container.core.saves
    let file = URL(filePath: String(url.dropFirst("sqlite:".count)))
    let names = try folder.names().filter { $0.hasPrefix(file.lastPathComponent) }
    let manager = FileManager.default
    let away = folder.file("away")
    try manager.createDirectory(at: away, withIntermediateDirectories: true)
    for name in names {
      try manager.moveItem(at: folder.file(name), to: away.appending(path: name))
    }
    try manager.moveItem(at: backup, to: file)
    feed.look()
    // The watcher may have found it first, and not have reported it yet.
    while observer.fetchError == nil || history.fetchError == nil { await Task.yield() }
    #expect((observer.fetchError as? DataStoreError) == .storeReplaced)
    #expect((history.fetchError as? DataStoreError) == .storeReplaced)
    await #expect(throws: DataStoreError.storeReplaced) { _ = try await stream.next() }
    // A new container reads the replacement, and the old one continues when its files are back.
    let other = ModelContext(try emptyContainer(url))
    #expect(try other.fetch(tripsByName).map(\.name) == ["ours"])
    try other.container.close()
    for name in try folder.names() where name.hasPrefix(file.lastPathComponent) {
      try manager.removeItem(at: folder.file(name))
    }
    for name in names {
      try manager.moveItem(at: away.appending(path: name), to: folder.file(name))
    }
    feed.look()
    while observer.fetchError != nil || history.fetchError != nil { await Task.yield() }
    #expect(observer.results.map(\.name) == ["more", "ours"])
  }

  @Test func `the container's own saves are not reported as saves of others`() async throws {
    let context = ModelContext(container, isolation: nil)
    let observer = try ResultsObserver(fetchDescriptor: .longer(than: 3), modelContext: context)
    let feed = container.core.saves
    let visits = container.core.saves.visitCount
    for number in 0..<20 {
      try container.edit { $0.insert(Invoice(number)) }
      feed.look()
    }
    #expect(container.core.saves.visitCount == visits)
    try emptyContainer(url).edit { $0.insert(Trip("theirs", days: 1)) }
    feed.look()
    // The watcher may have found the save first, and not have reported it yet.
    while container.core.saves.visitCount == visits { await Task.yield() }
    #expect(container.core.saves.visitCount == visits + 1)
    #expect(observer.results.isEmpty)
  }

  @Test func `saves of others during a save of the container are reported once, after it`()
    async throws
  {
    let observer = try ResultsObserver(
      fetchDescriptor: .longer(than: 3),
      modelContext: ModelContext(container, isolation: nil)
    )
    let feed = container.core.saves
    let store = try #require(feed.stores.first)
    let visits = feed.visitCount
    store.countRunning(1)
    try emptyContainer(url).edit { $0.insert(Trip("theirs", days: 9)) }
    feed.look()
    #expect(feed.visitCount == visits)
    try container.edit { $0.insert(Invoice(1)) }
    feed.look()
    #expect(feed.visitCount == visits)
    #expect(store.countRunning(-1))
    feed.look()
    while feed.visitCount == visits { await Task.yield() }
    feed.look()
    #expect(feed.visitCount == visits + 1)
    #expect(observer.results.map(\.name) == ["theirs"])
  }

  @Test func `saves of others that a fetch noticed first are reported once`() async throws {
    let observer = try ResultsObserver(
      fetchDescriptor: .longer(than: 3),
      modelContext: ModelContext(container, isolation: nil)
    )
    let feed = container.core.saves
    let visits = feed.visitCount
    try emptyContainer(url).edit { $0.insert(Trip("theirs", days: 9)) }
    let context = ModelContext(container, isolation: nil)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(try context.fetch(tripsByName).map(\.name) == ["theirs"])
    feed.look()
    while feed.visitCount == visits { await Task.yield() }
    feed.look()
    #expect(feed.visitCount == visits + 1)
    #expect(observer.results.map(\.name) == ["theirs"])
  }

  @Test func `a store without observers is not watched`() throws {
    let feed = container.core.saves
    #expect(!feed.watchesStores)
    var observer = try [
      ResultsObserver(fetchDescriptor: tripsByName, modelContainer: container)
    ]
    #expect(feed.watchesStores)
    observer = []
    #expect(!feed.watchesStores)
    #expect(observer.isEmpty)
  }

  @Test func `a store that could not be watched at first is watched later`() async throws {
    try container.edit { $0.insert(Trip("ours")) }
    let other = try ModelContainer(
      for: Trip.self,
      Stop.self,
      Invoice.self,
      configurations: UnwatchedConfiguration(
        base: SQLiteStoreConfiguration(url: URL(filePath: String(url.dropFirst("sqlite:".count)))),
        failures: 3
      )
    )
    let context = ModelContext(other, isolation: nil)
    let observer = try ResultsObserver(fetchDescriptor: tripsByName, modelContext: context)
    #expect(other.core.saves.watchesStores)
    #expect(observer.results.map(\.name) == ["ours"])
    try container.edit { $0.insert(Trip("theirs")) }
    while observer.results.count < 2 { await Task.yield() }
    #expect(observer.results.map(\.name) == ["ours", "theirs"])
    try container.edit(trip: "ours") { $0.note = "seen" }
    while observer.results.first?.note.isEmpty == true { await Task.yield() }
    #expect(observer.results.map(\.note) == ["seen", ""])
  }

  @Test func `a store that cannot report saves of others is not watched`() throws {
    let container = try emptyContainer()
    let observer = try ResultsObserver(fetchDescriptor: tripsByName, modelContainer: container)
    #expect(!container.core.saves.watchesStores)
    #expect(observer.results.isEmpty)
  }
}

/// A store that cannot be watched at first, as one on a server that cannot be reached.
final class UnwatchedStore<Base: RecordStore>: WrappingStore {
  typealias Configuration = UnwatchedConfiguration<Base.Configuration>

  let configuration: Configuration
  let base: Base
  private let failures: Mutex<Int>

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    failures = Mutex(configuration.failures)
    base = try Base(configuration.base, migrationPlan: migrationPlan)
  }

  func watch() throws -> (any StoreWatch)? {
    let fails = failures.withLock { failures in
      failures -= 1
      return failures >= 0
    }
    if fails { throw DataStoreError(.io, "the server cannot be reached") }
    return try base.watch()
  }
}

struct UnwatchedConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  typealias Store = UnwatchedStore<Below.Store>

  var base: Below
  /// The number of times that the store cannot be watched.
  let failures: Int
}
