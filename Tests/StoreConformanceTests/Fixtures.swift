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

    func makePlace() -> MemoryStoreConfiguration { MemoryStoreConfiguration() }

    func open(_ place: MemoryStoreConfiguration, schema: Schema?) throws -> MemoryStore {
      var configuration = place
      configuration.schema = schema
      return try MemoryStore(configuration)
    }

    func destroy(_ place: MemoryStoreConfiguration) {}
  }

  /// A document whose every file operation can be made to fail.
  struct JSON: StoreFixture {
    struct Place: Sendable {
      let folder: TemporaryFolder
      let access = FaultyFileAccess()
    }

    var usesJournal = true
    let hooks: Set<FixtureHook> = [.secondHandle, .faults]

    func makePlace() throws -> Place { Place(folder: try TemporaryFolder(inMemory: true)) }

    func open(_ place: Place, schema: Schema?) throws -> JSONFileStore {
      let url = place.folder.file("a.json")
      var configuration = JSONFileStoreConfiguration(schema: schema, url: url)
      configuration.usesJournal = usesJournal
      configuration.busyTimeout = 0
      configuration.access = place.access
      return try JSONFileStore(configuration, migrationPlan: nil)
    }

    func close(_ store: JSONFileStore) throws { try store.close() }

    func destroy(_ place: Place) {}

    func run(_ fault: StoreFault, at step: Int, in place: Place, _ body: () -> Void) -> Bool {
      switch fault {
      case .failure: place.access.reset(.once(call: step - 1, code: EIO))
      case .crash: place.access.reset(.from(call: step - 1, code: EIO))
      }
      body()
      let isReached = place.access.calls.count >= step
      place.access.reset()
      return isReached
    }
  }

  struct SQLiteFile: StoreFixture {
    let hooks: Set<FixtureHook> = [.secondHandle, .processes]

    func makePlace() throws -> TemporaryFolder { try TemporaryFolder(inMemory: true) }

    func open(_ folder: TemporaryFolder, schema: Schema?) throws -> SQLiteStore {
      let configuration = SQLiteStoreConfiguration(schema: schema, url: folder.file("a.store"))
      return try SQLiteStore(configuration, migrationPlan: nil)
    }

    func destroy(_ folder: TemporaryFolder) {}

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
    func makePlace() {}

    func open(_ place: Void, schema: Schema?) throws -> SQLiteStore {
      try SQLiteStore(.inMemory(schema: schema), migrationPlan: nil)
    }

    func destroy(_ place: Void) {}
  }
}
