import Foundation
import OpenSwiftData
import StoreTestSupport
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
    let others = container.core.changes.feed.others
    let file = URL(filePath: String(url.dropFirst("sqlite:".count)))
    let names = try folder.names().filter { $0.hasPrefix(file.lastPathComponent) }
    let manager = FileManager.default
    let away = folder.file("away")
    try manager.createDirectory(at: away, withIntermediateDirectories: true)
    for name in names {
      try manager.moveItem(at: folder.file(name), to: away.appending(path: name))
    }
    try manager.moveItem(at: backup, to: file)
    others.look()
    // The watcher may have found it first, and not have reported it yet.
    while observer.fetchError == nil || history.fetchError == nil { await Task.yield() }
    #expect((observer.fetchError as? DataStoreError)?.code == .storeReplaced)
    #expect((history.fetchError as? DataStoreError)?.code == .storeReplaced)
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
    others.look()
    while observer.fetchError != nil || history.fetchError != nil { await Task.yield() }
    #expect(observer.results.map(\.name) == ["more", "ours"])
  }

  @Test func `the container's own saves are not reported as saves of others`() async throws {
    let context = ModelContext(container, isolation: nil)
    let observer = try ResultsObserver(fetchDescriptor: .longer(than: 3), modelContext: context)
    let others = container.core.changes.feed.others
    let visits = container.core.changes.feed.visitCount
    for number in 0..<20 {
      try container.edit { $0.insert(Invoice(number)) }
      others.look()
    }
    #expect(container.core.changes.feed.visitCount == visits)
    try emptyContainer(url).edit { $0.insert(Trip("theirs", days: 1)) }
    others.look()
    // The watcher may have found the save first, and not have reported it yet.
    while container.core.changes.feed.visitCount == visits { await Task.yield() }
    #expect(container.core.changes.feed.visitCount == visits + 1)
    #expect(observer.results.isEmpty)
  }

  @Test func `a store without observers is not watched`() throws {
    let others = container.core.changes.feed.others
    #expect(!others.isWatching)
    var observer = try [
      ResultsObserver(fetchDescriptor: tripsByName, modelContainer: container)
    ]
    #expect(others.isWatching)
    observer = []
    #expect(!others.isWatching)
    #expect(observer.isEmpty)
  }

  @Test func `a store that cannot report saves of others is not watched`() throws {
    let container = try emptyContainer()
    let observer = try ResultsObserver(fetchDescriptor: tripsByName, modelContainer: container)
    #expect(!container.core.changes.feed.others.isWatching)
    #expect(observer.results.isEmpty)
  }
}
