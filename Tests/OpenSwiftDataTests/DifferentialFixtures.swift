import Foundation
import OpenSwiftData
import StoreConformance
import StoreTestSupport

/// The stores that random questions are put to.
enum DifferentialFixtures {
  struct Memory: StoreFixture {
    func makeLocation() {}

    func open(_ location: Void, schema: Schema?) throws -> MemoryStore {
      try MemoryStore(MemoryStoreConfiguration(schema: schema))
    }

    func destroy(_ location: Void) {}
  }

  struct JSONFile: StoreFixture {
    func makeLocation() throws -> TemporaryFolder { try TemporaryFolder() }

    func open(_ folder: TemporaryFolder, schema: Schema?) throws -> JSONFileStore {
      let configuration = JSONFileStoreConfiguration(
        schema: schema,
        url: folder.file("a.json"),
        durability: .none
      )
      return try JSONFileStore(configuration, migrationPlan: nil)
    }

    func destroy(_ folder: TemporaryFolder) {}
  }

  struct SQLiteFile: StoreFixture {
    func makeLocation() throws -> TemporaryFolder { try TemporaryFolder() }

    func open(_ folder: TemporaryFolder, schema: Schema?) throws -> SQLiteStore {
      let configuration = SQLiteStoreConfiguration(
        schema: schema,
        url: folder.file("a.store"),
        durability: .none
      )
      return try SQLiteStore(configuration, migrationPlan: nil)
    }

    func destroy(_ folder: TemporaryFolder) {}
  }

  struct SQLiteInMemory: StoreFixture {
    func makeLocation() {}

    func open(_ location: Void, schema: Schema?) throws -> SQLiteStore {
      try SQLiteStore(.inMemory(schema: schema), migrationPlan: nil)
    }

    func destroy(_ location: Void) {}
  }

  /// How many questions each store is asked for each seed: `OSD_QUERIES` says it, or it is few.
  static let questions = number("OSD_QUERIES") ?? 250

  /// The seeds: the one that `OSD_SEED` names, or two that are always the same, of which a part of a sweep has one.
  static let seeds: [UInt64] = number("OSD_SEED").map { [UInt64($0)] } ?? Sweep.part([1, 2], of: 1)

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }
}
