import ComposableStores
import Foundation
import OpenSwiftData

/// A store that reads time and identifiers from a test, and whose folder is removed with it.
final class EphemeralStore<Base: RecordStore>: WrappingStore {
  typealias Configuration = EphemeralStoreConfiguration<Base.Configuration>

  // In this order: the store closes before its folder, which the configuration holds, is removed.
  let base: Base
  let configuration: Configuration

  init(
    _ configuration: Configuration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    base = try configuration.within {
      try Base(configuration.base, migrationPlan: migrationPlan)
    }
    self.configuration = configuration
  }

  func apply(_ changes: StoreChanges) throws -> StoreChangesResult {
    try configuration.within { try base.apply(changes) }
  }

  func erase() throws { try configuration.within { try base.erase() } }
}

extension EphemeralStore: RequestCounting where Base: RequestCounting {
  var counter: StoreCounter { base.counter }
}

extension EphemeralStore: HistoryKeeping, HistoryProviding where Base: HistoryKeeping {}
extension EphemeralStore: MaintainableStore where Base: MaintainableStore {}
extension EphemeralStore: MigratableStore where Base: MigratableStore {}
extension EphemeralStore: RewritableStore where Base: RewritableStore {}

/// The configuration of a store for a test.
struct EphemeralStoreConfiguration<Below: DataStoreConfiguration>: WrappingConfiguration
where Below.Store: RecordStore {
  typealias Store = EphemeralStore<Below.Store>

  var base: Below
  let ephemeralFolder: EphemeralFolder
  let environment: StoreEnvironment?

  /// Runs a body in the environment of the test.
  func within<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let environment else { return try body() }
    return try StoreEnvironment.$current.withValue(environment, operation: body)
  }
}

/// A folder that is removed with its contents after its last use.
final class EphemeralFolder: Sendable {
  /// The folder, which only the user of the test can access.
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "openswiftdata-test-\(UUID().uuidString)", directoryHint: .isDirectory)
    do {
      try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw DataStoreError(
        .io,
        "the folder of an ephemeral store cannot be created",
        file: folder.path(percentEncoded: false),
        cause: error
      )
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
