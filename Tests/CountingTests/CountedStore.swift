import ComposableStores
import Foundation
import OpenSwiftData
import SQLiteTestSupport
import StoreFiles
import StoreTestSupport

@testable import JSONFileStore
@testable import SQLiteStore

/// A store in a folder of its own, whose calls of the layers below it are counted.
final class CountedStore {
  enum Kind: String, CaseIterable {
    case sqlite, json, memory
  }

  let kind: Kind
  private let folder: TemporaryFolder
  private let log = StatementLog()
  private let files: FaultyFiles
  private let access = FaultyFileAccess()
  private let memory = MemoryStoreConfiguration()
  private let counter = StoreCounter()
  private let isWrapped: Bool

  /// Fills a store with trips; one that is wrapped counts requests and rows, one that is not all else.
  init(_ kind: Kind, trips: Int, isWrapped: Bool) throws {
    self.kind = kind
    self.isWrapped = isWrapped
    folder = try TemporaryFolder()
    files = try FaultyFiles()
    let context = ModelContext(try container(configuration))
    context.autosaveEnabled = false
    for number in 0..<trips { context.insert(Trip(number)) }
    try context.save()
  }

  /// Opens the store.
  func open() throws -> ModelContainer {
    guard isWrapped else { return try container(configuration) }
    switch configuration {
    case let sqlite as SQLiteStoreConfiguration: return try container(sqlite.counted(by: counter))
    case let json as JSONFileStoreConfiguration: return try container(json.counted(by: counter))
    default: return try container(memory.counted(by: counter))
    }
  }

  private func container(_ configuration: some DataStoreConfiguration) throws -> ModelContainer {
    try ModelContainer(for: Trip.self, configurations: configuration)
  }

  private var configuration: any DataStoreConfiguration {
    switch kind {
    case .sqlite:
      var configuration = SQLiteStoreConfiguration(url: folder.file("store.db"))
      configuration.log = log
      configuration.access = access
      configuration.fileSystem = files.name
      return configuration
    case .json:
      var configuration = JSONFileStoreConfiguration(url: folder.file("store.json"))
      configuration.access = access
      // What the history names, the process and its program, is longer in one run than in another.
      configuration.history = HistoryOptions(.off)
      return configuration
    case .memory: return memory
    }
  }

  /// Counts what happens while a body runs.
  func counts(_ body: () throws -> Void) throws -> Counts {
    log.clear()
    files.reset()
    access.reset()
    let births = Birth.count.load(ordering: .relaxed)
    let asked = try counter.count(body)
    var counts = Counts()
    counts.requests = asked.requests + asked.saves
    counts.rows = asked.rows
    counts.objects = Birth.count.load(ordering: .relaxed) - births
    if kind == .sqlite {
      counts.prepared = log.counts.prepared
      counts.stepped = log.counts.stepped
    }
    if kind != .memory {
      let writes = files.calls.filter { $0.kind == .write }
      counts.calls = access.calls.count
      counts.writes = writes.count + access.calls.count { $0 == .write }
      counts.bytes = writes.reduce(0) { $0 + $1.bytes } + access.bytesWritten
      counts.syncs =
        files.calls.count { $0.kind == .sync }
        + access.calls.count { $0 == .sync || $0 == .syncFolder }
    }
    return counts
  }
}
