import Foundation
import OpenSwiftData
import StoreConformance
import StoreFiles
import StoreTestSupport

@testable import JSONFileStore

/// The built-in stores, each in the ways in which it can be had.
enum Fixtures {
  struct Memory: StoreFixture {
    let hooks: Set<FixtureHook> = [.secondHandle]

    func makeLocation() -> MemoryStoreConfiguration { MemoryStoreConfiguration() }

    func open(_ location: MemoryStoreConfiguration, schema: Schema?) throws -> MemoryStore {
      var configuration = location
      configuration.schema = schema
      return try MemoryStore(configuration)
    }

    func destroy(_ location: MemoryStoreConfiguration) {}
  }

  /// A document whose every file operation can be made to fail.
  struct JSON: StoreFixture {
    struct Location: Sendable {
      let folder: TemporaryFolder
      let access = FaultyFileAccess()
    }

    var usesJournal = true
    let hooks: Set<FixtureHook> = [.secondHandle, .faults]

    func makeLocation() throws -> Location { Location(folder: try TemporaryFolder(inMemory: true)) }

    func open(_ location: Location, schema: Schema?) throws -> JSONFileStore {
      let url = location.folder.file("a.json")
      var configuration = JSONFileStoreConfiguration(schema: schema, url: url)
      configuration.usesJournal = usesJournal
      configuration.busyTimeout = 0
      configuration.access = location.access
      return try JSONFileStore(configuration, migrationPlan: nil)
    }

    func close(_ store: JSONFileStore) throws { try store.close() }

    func destroy(_ location: Location) {}

    func run(_ fault: StoreFault, at step: Int, in location: Location, _ body: () -> Void) -> Bool {
      switch fault {
      case .failure: location.access.reset(.once(call: step - 1, code: EIO))
      case .crash: location.access.reset(.from(call: step - 1, code: EIO))
      }
      body()
      let isReached = location.access.calls.count >= step
      location.access.reset()
      return isReached
    }
  }

  struct SQLiteFile: StoreFixture {
    let hooks: Set<FixtureHook> = [.secondHandle, .processes, .replacement]

    func makeLocation() throws -> TemporaryFolder { try TemporaryFolder(inMemory: true) }

    func open(_ folder: TemporaryFolder, schema: Schema?) throws -> SQLiteStore {
      let configuration = SQLiteStoreConfiguration(schema: schema, url: folder.file("a.store"))
      return try SQLiteStore(configuration, migrationPlan: nil)
    }

    func destroy(_ folder: TemporaryFolder) throws {
      for name in try folder.names() { try FileManager.default.removeItem(at: folder.file(name)) }
    }

    func start(
      _ task: ProcessTask,
      on folder: TemporaryFolder
    ) throws -> @Sendable () throws -> String {
      let (process, output) = (Process(), Pipe())
      // The tool is built beside the tests.
      process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "storectl")
      process.arguments = [
        "conformance", "sqlite:\(folder.file("a.store").path)", "--task", task.argument,
      ]
      process.standardOutput = output
      try process.run()
      return {
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
      }
    }
  }

  struct SQLiteInMemory: StoreFixture {
    func makeLocation() {}

    func open(_ location: Void, schema: Schema?) throws -> SQLiteStore {
      try SQLiteStore(.inMemory(schema: schema), migrationPlan: nil)
    }

    func destroy(_ location: Void) {}
  }
}
