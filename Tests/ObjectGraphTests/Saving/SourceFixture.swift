import OpenSwiftData
import StoreProtocol
import StoreTestSupport
import Testing

/// A store that reads the values of rows from objects, or from records, and counts them.
final class SourceFixture {
  let log: SourceLog
  let container: ModelContainer
  let context: ModelContext
  private let folder: TemporaryFolder

  init(takesRecords: Bool = false) throws {
    log = SourceLog(takesRecords: takesRecords)
    let folder = try TemporaryFolder()
    self.folder = folder
    let schema = Schema([
      Reading.self, Instrument.self, Barometer.self, Sketch.self, Lighthouse.self, Photo.self,
      Crew.self, Oarsman.self, Coxswain.self, Skiff.self, Supporter.self, Paint.self,
    ])
    container = try ModelContainer(
      for: schema,
      configurations: SourceStoreConfiguration(folder.file("store.db"), log)
    )
    context = ModelContext(container)
    context.autosaveEnabled = false
  }

  /// The rows of an entity as the store gives them, with their keys and versions.
  func rows(_ entity: String) throws -> [String] {
    let store = try #require(container.stores.first as? SourceStore)
    return try store.fetch(StoreQuery(entity: entity)).map { record in
      let values = record.values.map { "\($0)" }.joined(separator: ", ")
      return "\(record.persistentIdentifier.key) v\(record.version): \(values)"
    }
  }

  /// What each save did, by keys and properties.
  func history() throws -> [String] {
    let store = try #require(container.stores.first as? SourceStore)
    return try store.transactions(StoreHistoryQuery()).map { transaction in
      transaction.changes.map { change in
        "\(change.kind) \(change.identifier.key) \(change.properties.joined(separator: ","))"
      }.joined(separator: "\n")
    }
  }
}
